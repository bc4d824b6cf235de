import type { Distribution, Option } from '../engine.ts';
import type { Model } from './model.ts';
import type { NoulInput, OptionInput } from './inputs.ts';
import { featureNames, type FeatureRow } from './features.ts';

/** Bound on log-odds: probabilities stay between 0.005 and 0.995, because this kind of evidence is never certain. */
const logitMax = 5.3;
/** Weight of the difference of the criteria beside the statement. Set by hand: no data set has criteria. */
const criteriaShare = 0.5;

/** Effect of a full refusal on a statement: "I do not want a refund" against "wants a refund". Set by hand. */
const refusalTurn = 1.6;
/** Subtracted from the fitted logit of a remainder: callers name broader categories than the training data. Set by hand. */
const remainderEase = 1.5;

const mismatchAt = featureNames.indexOf('mismatch');
const matchedAt = featureNames.indexOf('recallSharp');

/** Share of the matched words that the state denies, 0 to 1. */
function refusedShare(row: FeatureRow): number {
  return Math.min(1, (row[mismatchAt] ?? 0) / Math.max(1e-9, row[matchedAt] ?? 0));
}

/** Features of a noul that are weighed. For a topic, mismatching polarity does not count. */
export function noulRow({ row, topical }: NoulInput): FeatureRow {
  return topical ? row.with(mismatchAt, 0) : row;
}

/** Log-odds that a noul is true. Odd in the sign: negating a statement negates its log-odds. */
export function noulLogit(input: NoulInput, { noul }: Model): number {
  const plain = noul.bias + dot(noul.weights, noulRow(input));
  const affirmed = input.topical || plain < 0 ? plain : plain * (1 - refusalTurn * refusedShare(input.row));
  const criteria =
    input.criteria === null
      ? 0
      : criteriaShare * (dot(noul.weights, input.criteria[0]) - dot(noul.weights, input.criteria[1]));
  return clamp(input.sign * affirmed + criteria, logitMax);
}

/** Probability of each of a noul's options, by name. */
export function noulDistribution(options: readonly Option[], logit: number): Distribution {
  const whenTrue = 1 / (1 + Math.exp(-logit));
  return options.map(({ name }) => (name === 'true' ? whenTrue : 1 - whenTrue));
}

/** Logits of a choice. `answer` is the log-odds that the question is answered by yes; 0 where it is none. */
export function choiceLogits(
  inputs: readonly OptionInput[],
  answer: number,
  { choice }: Model,
): Float64Array {
  const sharpness = inputs.length ** choice.sharpnessPower;
  return Float64Array.from(inputs, ({ role, row }) => {
    if (role === 'yes') return answer / 2;
    if (role === 'no') return -answer / 2;
    return sharpness * (role === 'remainder' ? choice.remainder - remainderEase : dot(choice.weights, row));
  });
}

/** Shape of the axis of a score; set by hand and checked on the examples of feelings in `training/examples.ts`. */
const axisPull = 2;
const alignmentShare = 0.5;

/**
 * Logits of a score: each level's own likeness to the state, and its distance from where the state stands on the
 * axis. `positions` are the levels' places and `place` the state's, both from -1 (low) to 1 (high).
 */
export function scoreLogits(
  inputs: readonly OptionInput[],
  positions: readonly number[],
  place: number,
  { choice }: Model,
): Float64Array {
  return Float64Array.from(inputs, ({ row }, i) => {
    const distance = (positions[i] ?? 0) - place;
    return alignmentShare * dot(choice.weights, row) - axisPull * distance * distance;
  });
}

/**
 * Softmax with sums taken in the order of the names, so that the order of the options changes no bit. Options of
 * the same name and description have equal logits, so their order among themselves changes nothing either.
 */
export function softmax(options: readonly Option[], logits: Float64Array): Distribution {
  let greatest = Number.NEGATIVE_INFINITY;
  for (const logit of logits) greatest = Math.max(greatest, logit);
  const powers = logits.map((logit) => Math.exp(logit - greatest));
  let sum = 0;
  for (const i of inNameOrder(options)) sum += powers[i] ?? 0;
  return Array.from(powers, (power) => power / sum);
}

function inNameOrder(options: readonly Option[]): readonly number[] {
  return options.map((_, i) => i).sort((a, b) => compareOptions(options[a], options[b]));
}

function compareOptions(a: Option | undefined, b: Option | undefined): number {
  const [x, y] = [a?.name ?? '', b?.name ?? ''];
  if (x !== y) return x < y ? -1 : 1;
  const [s, t] = [a?.description ?? '', b?.description ?? ''];
  return s === t ? 0 : s < t ? -1 : 1;
}

function dot(weights: readonly number[], row: FeatureRow): number {
  let sum = 0;
  for (let i = 0; i < row.length; i++) sum += (weights[i] ?? 0) * (row[i] ?? 0);
  return sum;
}

function clamp(value: number, bound: number): number {
  return Math.min(bound, Math.max(-bound, value));
}
