import { createLikenesses, featureNames } from '../src/features/decisions/words/features.ts';
import {
  noulInput,
  optionInputs,
  type NoulInput,
  type OptionInput,
} from '../src/features/decisions/words/inputs.ts';
import type { Vocabulary } from '../src/features/decisions/words/vocabulary.ts';
import { createLexemes, type Lexemes } from '../src/features/decisions/words/lexeme.ts';
import { analyzeState } from '../src/features/decisions/words/analyzed-state.ts';
import type { Model } from '../src/features/decisions/words/model.ts';
import { noulRow } from '../src/features/decisions/words/readout.ts';
import type { Example } from './examples.ts';
import { minimise } from './optimise.ts';
import { addScaled, dot } from './vectors.ts';

const features = featureNames.length;
/** Pull of the weights towards 0. */
const decay = 5e-4;

/** Runs steps to their end without pausing. */
export function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

export interface Weighted {
  readonly example: Example;
  readonly weight: number;
}

/** Reads examples with the engine's own eyes, so that training and serving cannot differ. */
export interface Reader {
  readonly noul: (example: Example) => NoulInput;
  readonly options: (example: Example) => readonly OptionInput[];
}

export function createReader(vocabulary: Vocabulary): Reader {
  const read = ({ state }: Example, lexemes: Lexemes) =>
    createLikenesses(finish(analyzeState(state, lexemes)));
  return {
    noul(example: Example): NoulInput {
      const lexemes = createLexemes(vocabulary);
      return finish(noulInput(example.question, lexemes, read(example, lexemes)));
    },
    options(example: Example): readonly OptionInput[] {
      const lexemes = createLexemes(vocabulary);
      return finish(optionInputs(example.question, lexemes, read(example, lexemes)));
    },
  };
}

/** Parameters: weights, bias. */
export function trainNoul(
  examples: readonly Weighted[],
  read: (example: Example) => NoulInput,
): Model['noul'] {
  const rows = examples.map(({ example, weight }) => {
    const input = read(example);
    const inputs = Float64Array.of(...noulRow(input), 1);
    return { inputs, sign: input.sign, truth: 1 - example.right, weight };
  });
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const { at } = minimise(new Float64Array(features + 1), (w, gradient) => {
    let loss = shrink(w, gradient);
    for (const { inputs, sign, truth, weight } of rows) {
      const p = 1 / (1 + Math.exp(-sign * dot(inputs, w)));
      loss -= (weight / total) * Math.log(Math.max(1e-12, truth === 1 ? p : 1 - p));
      addScaled(gradient, inputs, (weight / total) * (p - truth) * sign);
    }
    return loss;
  });
  return { bias: at[features] ?? 0, weights: Array.from(at.subarray(0, features)) };
}

/** Parameters: weights, logit of a remainder, power of the number of options. */
export function trainChoice(
  examples: readonly Example[],
  read: (example: Example) => readonly OptionInput[],
): Model['choice'] {
  const rows = examples.map((example) => toChoiceRow(example, read(example)));
  const start = new Float64Array(features + 2).fill(1);
  start.fill(0, features + 1);
  const { at } = minimise(
    start,
    (w, gradient) => {
      let loss = shrink(w, gradient);
      for (const row of rows) loss += choiceLoss(row, w, gradient, 1 / rows.length);
      return loss;
    },
    400,
  );
  const weights = Array.from(at.subarray(0, features));
  return {
    weights,
    remainder: at[features] ?? 0,
    sharpnessPower: at[features + 1] ?? 0,
  };
}

interface ChoiceRow {
  readonly options: readonly Float64Array[];
  readonly right: number;
}

function toChoiceRow({ right }: Example, inputs: readonly OptionInput[]): ChoiceRow {
  const options = inputs.map(({ role, row }) =>
    role === 'remainder' ? Float64Array.of(...row.map(() => 0), 1) : Float64Array.of(...row, 0),
  );
  return { options, right };
}

function choiceLoss(
  { options, right }: ChoiceRow,
  w: Float64Array,
  gradient: Float64Array,
  share: number,
): number {
  const power = features + 1;
  const log = Math.log(options.length);
  const sharpness = Math.exp((w[power] ?? 0) * log);
  const scores = options.map((inputs) => dot(inputs, w));
  const greatest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(sharpness * (score - greatest)));
  const sum = powers.reduce((a, b) => a + b, 0);
  options.forEach((inputs, o) => {
    const slope = share * ((powers[o] ?? 0) / sum - (o === right ? 1 : 0)) * sharpness;
    addScaled(gradient, inputs, slope);
    gradient[power] = (gradient[power] ?? 0) + slope * log * (scores[o] ?? 0);
  });
  return -share * Math.log(Math.max(1e-12, (powers[right] ?? 0) / sum));
}

function shrink(w: Float64Array, gradient: Float64Array): number {
  let loss = 0;
  for (let i = 0; i < features; i++) {
    loss += (decay / 2) * (w[i] ?? 0) ** 2;
    gradient[i] = (gradient[i] ?? 0) + decay * (w[i] ?? 0);
  }
  return loss;
}
