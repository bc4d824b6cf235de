import { normalise } from '../../../../order.ts';

/** The head for levels: where a state stands on the scale, and how wide each level is, by the vectors of the levels. */
export interface Ordinal {
  readonly place: readonly number[];
  readonly placeBias: number;
  readonly gap: readonly number[];
  readonly gapBias: number;
}

const gapMin = 1e-3;
const probabilityMin = 1e-7;

/**
 * Probabilities of levels: how much of a logistic curve around the place of the state lies between the thresholds of each,
 * which rise by the width of one level after the other and are centred.
 */
export function toLevels(
  scores: readonly number[],
  vectors: readonly Float32Array[],
  { place, placeBias, gap, gapBias }: Ordinal,
): readonly number[] {
  const last = scores.length - 1;
  const expected = softmaxMean(scores) - last / 2;
  const centre =
    vectors.reduce((sum, vector) => sum + dot(vector, place), 0) / vectors.length + placeBias + expected;
  const gaps = vectors.map((vector) => softplus(dot(vector, gap) + gapBias) + gapMin);
  const width = gaps.reduce((sum, one) => sum + one, 0);
  let threshold = -width / 2;
  let above = 1;
  const levels = gaps.map((one, index) => {
    threshold += one;
    const next = index === last ? 0 : 1 / (1 + Math.exp(threshold - centre));
    const share = above - next;
    above = next;
    return Math.max(probabilityMin, share);
  });
  return normalise(levels);
}

function softmaxMean(scores: readonly number[]): number {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.reduce((mean, power, index) => mean + (power / sum) * index, 0);
}

const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

const dot = (a: Float32Array, b: readonly number[]): number =>
  b.reduce((sum, value, index) => sum + value * (a[index] ?? 0), 0);
