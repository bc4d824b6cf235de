/** Answer to one question: probabilities in the order of the options, the right option and the chosen one. */
export interface Outcome {
  readonly probabilities: readonly number[];
  readonly right: number;
  /** The likeliest option; the caller breaks ties. */
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

/** The right answer and the chosen one, in words. */
export interface AnswerPair {
  readonly right: string;
  readonly chosen: string;
}

/**
 * Mean F1 of all answers that are right or chosen somewhere, so that a rare one counts as much as a frequent one. NaN for
 * an empty list.
 */
export function macroF1(pairs: readonly AnswerPair[]): number {
  const counts = new Map<string, { hits: number; right: number; chosen: number }>();
  const countOf = (answer: string) => {
    const count = counts.get(answer) ?? { hits: 0, right: 0, chosen: 0 };
    counts.set(answer, count);
    return count;
  };
  for (const { right, chosen } of pairs) {
    countOf(right).right++;
    countOf(chosen).chosen++;
    if (right === chosen) countOf(right).hits++;
  }
  return mean([...counts.values()].map(({ hits, right, chosen }) => (2 * hits) / (right + chosen)));
}

/** Accuracy of guessing evenly. */
export function chance(outcomes: readonly Outcome[]): number {
  return mean(outcomes.map(({ probabilities }) => 1 / probabilities.length));
}

/** Mean negative log likelihood of the right option. Unit: nats. */
export function nll(outcomes: readonly Outcome[]): number {
  return mean(outcomes.map((outcome) => -Math.log(Math.max(nllFloor, rightOf(outcome)))));
}

/** Number of right options at or below the floor, which would make the NLL infinite. */
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

/** Returns NaN for an empty list. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The smallest value that at least this share of all values does not exceed (nearest rank). NaN for an empty list. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

function rightOf({ probabilities, right }: Outcome): number {
  return probabilities[right] ?? 0;
}

/** Ranks from 1; equal values share the mean of theirs. */
export function ranksOf(values: readonly number[]): readonly number[] {
  const order = values.map((_, index) => index).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const ranks = values.map(() => 0);
  for (let from = 0; from < order.length;) {
    const value = values[order[from] ?? 0];
    let to = from;
    while (to < order.length && values[order[to] ?? 0] === value) to++;
    for (const index of order.slice(from, to)) ranks[index] = (from + 1 + to) / 2;
    from = to;
  }
  return ranks;
}

/** Spearman's rank correlation, in [-1, 1]. NaN when all values of one side are equal. */
export function spearman(a: readonly number[], b: readonly number[]): number {
  return pearson(ranksOf(a), ranksOf(b));
}

/** Probability that a true one is scored above a false one; ties count half. NaN when one kind is missing. */
export function auroc(scores: readonly number[], truths: readonly boolean[]): number {
  const ranks = ranksOf(scores);
  const trues = truths.filter(Boolean).length;
  const rankSum = ranks.reduce((sum, rank, index) => (truths[index] === true ? sum + rank : sum), 0);
  return (rankSum - (trues * (trues + 1)) / 2) / (trues * (truths.length - trues));
}

function pearson(a: readonly number[], b: readonly number[]): number {
  const centred = (values: readonly number[]) => {
    const centre = mean(values);
    return values.map((value) => value - centre);
  };
  const [x, y] = [centred(a), centred(b)];
  const dot = (left: readonly number[], right: readonly number[]) =>
    left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}
