import { mean, type Outcome } from './metrics.ts';

/** Outcomes whose confidence (probability of the chosen option) lies in [from, to); the last bin holds 1 too. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Null when the bin is empty. */
  readonly confidence: number | null;
  readonly accuracy: number | null;
}

/** What is in a bin that is not empty. */
export interface ReliabilityPoint {
  /** Mean over the examples. */
  readonly confidence: number;
  /** Share that was answered rightly. */
  readonly accuracy: number;
  readonly examples: number;
}

export const binsOfEce = 15;

/** Outcomes by confidence, in bins of equal width. */
export function reliabilityBins(outcomes: readonly Outcome[], bins = binsOfEce): readonly Bin[] {
  const members = Array.from({ length: bins }, (): Outcome[] => []);
  for (const outcome of outcomes) {
    members[Math.min(bins - 1, Math.floor(confidenceOf(outcome) * bins))]?.push(outcome);
  }
  return members.map((inside, index) => ({
    from: index / bins,
    to: (index + 1) / bins,
    count: inside.length,
    confidence: inside.length === 0 ? null : mean(inside.map(confidenceOf)),
    accuracy: inside.length === 0 ? null : mean(inside.map(hitOf)),
  }));
}

/** Expected calibration error: mean distance between confidence and accuracy, bins weighed by what they hold. */
export function ece(outcomes: readonly Outcome[], bins = binsOfEce): number {
  return reliabilityBins(outcomes, bins).reduce(
    (sum, { count, confidence, accuracy }) =>
      sum + (count / outcomes.length) * Math.abs((confidence ?? 0) - (accuracy ?? 0)),
    outcomes.length === 0 ? Number.NaN : 0,
  );
}

/**
 * Accuracy of the most confident share: what is left to people when the rest is answered by itself. Outcomes of
 * equal confidence at the edge count with their mean, so that the order of the file does not matter.
 */
export function selectiveAccuracy(outcomes: readonly Outcome[], coverage: number): number {
  const wanted = Math.max(1, Math.round(coverage * outcomes.length));
  const byConfidence = Map.groupBy(outcomes, confidenceOf);
  let [taken, hits] = [0, 0];
  for (const confidence of [...byConfidence.keys()].sort((a, b) => b - a)) {
    const group = byConfidence.get(confidence) ?? [];
    const used = Math.min(group.length, wanted - taken);
    hits += used * mean(group.map(hitOf));
    taken += used;
    if (taken === wanted) break;
  }
  return hits / taken;
}

function confidenceOf({ probabilities, chosen }: Outcome): number {
  return probabilities[chosen] ?? 0;
}

function hitOf({ right, chosen }: Outcome): number {
  return Number(right === chosen);
}
