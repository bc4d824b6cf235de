import { neutralTemperature, type Calibration } from '../calibration.ts';
import type { NormalizedQuestion } from '../engine.ts';
import { fitTemperature, shapesFor, tempered, type Shape } from './fit.ts';
import { accuracy, brier, nll, type Outcome } from './metrics.ts';
import { ece } from './reliability.ts';
import { kinds } from './report.ts';
import { shuffle } from './sample.ts';

/** Figures that a calibration is judged by. */
export type Figures = ReturnType<typeof toFigures>;
export type Fit = ReturnType<typeof fitCalibration>;

type Kinded = Outcome & { readonly kind: NormalizedQuestion['kind'] };

const foldCount = 5;
const foldSeed = 1;

/**
 * Fits a temperature for every kind. Of the shapes that there are examples for, the one with the lowest NLL on held-out
 * folds is taken; with too few of a kind, or where none helps, its answers stay as they are.
 */
export function fitCalibration(outcomes: readonly Kinded[]) {
  const groups = kinds.map((kind) => outcomes.filter((outcome) => outcome.kind === kind));
  const fits = groups.map((group, index) => fitKind(kinds[index] ?? 'noul', group));
  const present = fits.filter((fit) => fit !== null);
  const temperatureOf = (kind: NormalizedQuestion['kind']) =>
    present.find((fit) => fit.kind === kind)?.temperature ?? neutralTemperature;
  const temperatures: Calibration['temperatures'] = {
    noul: temperatureOf('noul'),
    choice: temperatureOf('choice'),
    score: temperatureOf('score'),
  };
  return {
    kinds: present,
    temperatures,
    before: toFigures(outcomes),
    /** After, on examples that the temperatures were not fitted on. */
    heldOut: toFigures(present.flatMap((fit) => fit.predicted)),
    /** After, on the examples that they were fitted on. A drift check compares with these. */
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

export function toFigures(outcomes: readonly Outcome[]) {
  return {
    examples: outcomes.length,
    accuracy: accuracy(outcomes),
    nll: nll(outcomes),
    brier: brier(outcomes),
    ece: ece(outcomes),
  };
}

/** Compares with the figures of a fit. `moved` is whether one got worse by more than the bound; a line for each. */
export function toDrift(then: Calibration['figures'], now: Figures, bound: number) {
  const watched = [
    { name: 'accuracy', was: then.accuracy, is: now.accuracy, worse: then.accuracy - now.accuracy },
    { name: 'ECE', was: then.ece, is: now.ece, worse: now.ece - then.ece },
  ];
  const lines = watched.map(({ name, was, is, worse }) => {
    const verdict = worse > bound ? `worse by ${worse.toFixed(4)}, more than ${bound}` : `within ${bound}`;
    return `${name}: ${was.toFixed(4)} when it was fitted, ${is.toFixed(4)} now: ${verdict}`;
  });
  return { moved: watched.some(({ worse }) => worse > bound), lines };
}
