/** What one question got: probabilities in the question's order, the right option and the one that was chosen. */
export interface Outcome {
  readonly probabilities: readonly number[];
  readonly right: number;
  /** The likeliest option; of equal ones the caller decides. */
  readonly chosen: number;
}

/**
 * A probability below this counts as this in the NLL. Upstreams that round send zeros, and one certain mistake would
 * otherwise make the mean infinite.
 */
export const nllFloor = 1e-12;

export function accuracy(outcomes: readonly Outcome[]): number {
  return mean(outcomes.map(({ right, chosen }) => Number(right === chosen)));
}

/** Accuracy of guessing evenly. */
export function chance(outcomes: readonly Outcome[]): number {
  return mean(outcomes.map(({ probabilities }) => 1 / probabilities.length));
}

/** Mean negative log likelihood of the right option. Unit: nats. */
export function nll(outcomes: readonly Outcome[]): number {
  return mean(outcomes.map((outcome) => -Math.log(Math.max(nllFloor, rightOf(outcome)))));
}

/** How many right options were given no more than the floor: what an infinite NLL would have come from. */
export function floored(outcomes: readonly Outcome[]): number {
  return outcomes.filter((outcome) => rightOf(outcome) <= nllFloor).length;
}

/** Mean of the squared distances summed over all options, in [0, 2]. For a noul that is twice the binary score. */
export function brier(outcomes: readonly Outcome[]): number {
  return mean(
    outcomes.map(({ probabilities, right }) =>
      probabilities.reduce((sum, p, index) => sum + (p - Number(index === right)) ** 2, 0),
    ),
  );
}

/** Wilson's 95 % interval of a share: how far the accuracy of another sample of this size may be. */
export function interval(share: number, count: number): readonly [low: number, high: number] {
  if (count === 0) return [Number.NaN, Number.NaN];
  const z = 1.959964;
  const centre = share + z ** 2 / (2 * count);
  const spread = z * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2));
  const scale = 1 + z ** 2 / count;
  return [Math.max(0, (centre - spread) / scale), Math.min(1, (centre + spread) / scale)];
}

/** NaN of nothing. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The smallest value that at least this share of all values does not exceed (nearest rank). NaN of nothing. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

function rightOf({ probabilities, right }: Outcome): number {
  return probabilities[right] ?? 0;
}
