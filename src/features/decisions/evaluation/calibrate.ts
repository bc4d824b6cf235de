import { neutralTemperature, type Calibration, type Temperature } from '../calibration.ts';
import type { NormalizedQuestion } from '../normalized-question.ts';
import { fitTemperature, shapesFor, tempered, type Shape } from './fit.ts';
import { accuracy, brier, nll, type Outcome } from './metrics.ts';
import { ece } from './reliability.ts';
import { kinds } from './report.ts';
import { shuffle } from './sample.ts';

/** What a calibration is judged by. */
export interface Figures {
  readonly examples: number;
  readonly accuracy: number;
  readonly nll: number;
  readonly brier: number;
  readonly ece: number;
}

export interface KindFit {
  readonly kind: NormalizedQuestion['kind'];
  readonly shape: Shape;
  readonly temperature: Temperature;
  readonly before: Figures;
  /** After, on examples that the temperature was not fitted on. */
  readonly heldOut: Figures;
}

export interface Fit {
  readonly kinds: readonly KindFit[];
  readonly temperatures: Calibration['temperatures'];
  readonly before: Figures;
  readonly heldOut: Figures;
  /** After, on everything that it was fitted on: what a drift check compares with. */
  readonly after: Figures;
}

type Kinded = Outcome & { readonly kind: NormalizedQuestion['kind'] };

const foldCount = 5;
const foldSeed = 1;

/**
 * Fits a temperature for every kind. Of the shapes that there are examples for, the one with the lowest NLL on held-out
 * folds is taken; with too few of a kind, or where none helps, its answers stay as they are.
 */
export function fitCalibration(outcomes: readonly Kinded[]): Fit {
  const groups = kinds.map((kind) => outcomes.filter((outcome) => outcome.kind === kind));
  const fits = groups.map((group, index) => fitKind(kinds[index] ?? 'noul', group));
  const present = fits.filter((fit) => fit !== null);
  const temperatureOf = (kind: NormalizedQuestion['kind']) =>
    present.find((fit) => fit.kind === kind)?.temperature ?? neutralTemperature;
  return {
    kinds: present,
    temperatures: {
      noul: temperatureOf('noul'),
      choice: temperatureOf('choice'),
      score: temperatureOf('score'),
    },
    before: toFigures(outcomes),
    heldOut: toFigures(present.flatMap((fit) => fit.predicted)),
    after: toFigures(present.flatMap((fit) => fit.fitted)),
  };
}

function fitKind(kind: NormalizedQuestion['kind'], outcomes: readonly Outcome[]) {
  if (outcomes.length === 0) return null;
  const tried = shapesFor(outcomes).map((shape) => {
    const predicted = predictHeldOut(outcomes, shape);
    return { shape, predicted, nll: nll(predicted) };
  });
  const { shape, predicted } = tried.reduce((best, next) => (next.nll < best.nll ? next : best));
  const temperature = fitTemperature(outcomes, shape);
  return {
    kind,
    shape,
    temperature,
    predicted,
    fitted: tempered(outcomes, temperature),
    before: toFigures(outcomes),
    heldOut: toFigures(predicted),
  };
}

/** Every outcome at the temperature that the other folds give. */
function predictHeldOut(outcomes: readonly Outcome[], shape: Shape): readonly Outcome[] {
  if (shape === 'neutral') return outcomes;
  const shuffled = shuffle(outcomes, foldSeed);
  return Array.from({ length: foldCount }, (_, fold) => {
    const inFold = (_: Outcome, index: number) => index % foldCount === fold;
    const others = shuffled.filter((outcome, index) => !inFold(outcome, index));
    return tempered(shuffled.filter(inFold), fitTemperature(others, shape));
  }).flat();
}

export function toFigures(outcomes: readonly Outcome[]): Figures {
  return {
    examples: outcomes.length,
    accuracy: accuracy(outcomes),
    nll: nll(outcomes),
    brier: brier(outcomes),
    ece: ece(outcomes),
  };
}
