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

/** Spearman's rank correlation, in [-1, 1]. NaN where one side is all the same. */
export function spearman(a: readonly number[], b: readonly number[]): number {
  return pearson(ranksOf(a), ranksOf(b));
}

/** Probability that a true one is scored above a false one; ties count half. NaN where one of them is missing. */
export function auroc(scores: readonly number[], truths: readonly boolean[]): number {
  const ranks = ranksOf(scores);
  const trues = truths.filter(Boolean).length;
  const rankSum = ranks.reduce((sum, rank, index) => (truths[index] === true ? sum + rank : sum), 0);
  return (rankSum - (trues * (trues + 1)) / 2) / (trues * (truths.length - trues));
}

function pearson(a: readonly number[], b: readonly number[]): number {
  const centred = (values: readonly number[]) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.map((value) => value - mean);
  };
  const [x, y] = [centred(a), centred(b)];
  const dot = (left: readonly number[], right: readonly number[]) =>
    left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}
