import type { Distribution } from '../../engine.ts';
import { createMatcher, type Candidate, type Label } from './labels.ts';

/** Probabilities of the labels at the answer position. */
export interface Readout {
  /** One per label. A label that was not listed gets its upper bound, the smallest listed probability. Never 0. */
  readonly weights: readonly number[];
  /** Tokens listed with a probability, labels or not. */
  readonly listed: number;
  /** Labels that were not listed. */
  readonly missing: number;
  /** Share of the whole distribution that fell on labels. */
  readonly mass: number;
}

/** Servers write lower values for "not listed" and for minus infinity. */
const absent = -9998;
/** Rounding can put a certain token slightly above 0; a larger value is no logarithm of a probability. */
const roundingMax = 0.01;
const weightMin = 1e-300;

/** Reads the labels out of the listed tokens. Several tokens of one label (`A`, ` A`) add up. */
export function readLabels(candidates: readonly Candidate[], labels: readonly Label[]): Readout {
  const match = createMatcher(labels);
  const sums = labels.map(() => 0);
  let floor = 1;
  let listed = 0;
  for (const candidate of candidates) {
    const { logprob } = candidate;
    if (!(logprob > absent && logprob <= roundingMax)) continue;
    const p = Math.max(weightMin, Math.exp(Math.min(0, logprob)));
    floor = Math.min(floor, p);
    listed++;
    const index = match(candidate);
    if (index !== undefined) sums[index] = (sums[index] ?? 0) + p;
  }
  return {
    weights: sums.map((sum) => (sum > 0 ? sum : floor)),
    listed,
    missing: sums.filter((sum) => sum === 0).length,
    mass: Math.min(
      1,
      sums.reduce((total, sum) => total + sum, 0),
    ),
  };
}

/** Summed by size, so that the order of the options does not reach the last bit. */
export function toDistribution(weights: readonly number[]): Distribution {
  const total = weights.toSorted((a, b) => a - b).reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}
