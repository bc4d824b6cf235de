/** Probabilities given to the options and the index of the right one. */
export interface Outcome {
  readonly probabilities: readonly number[];
  readonly right: number;
}

export interface Report {
  readonly count: number;
  readonly accuracy: number;
  readonly nll: number;
  /** Sum over the options of the squared distance from the truth, mean over the outcomes. */
  readonly brier: number;
  /** Expected calibration error of the most likely option, 15 equal bins. */
  readonly ece: number;
}

export function report(outcomes: readonly Outcome[]): Report {
  const bins = Array.from({ length: 15 }, () => ({ confidence: 0, right: 0 }));
  let [hits, nll, brier] = [0, 0, 0];
  for (const { probabilities, right } of outcomes) {
    const confidence = Math.max(...probabilities);
    const hit = probabilities.indexOf(confidence) === right ? 1 : 0;
    hits += hit;
    nll -= Math.log(Math.max(1e-12, probabilities[right] ?? 0));
    brier += probabilities.reduce((sum, p, i) => sum + (p - (i === right ? 1 : 0)) ** 2, 0);
    const bin = bins[Math.min(14, Math.floor(confidence * 15))];
    if (bin === undefined) continue;
    bin.confidence += confidence;
    bin.right += hit;
  }
  const gap = bins.reduce((sum, bin) => sum + Math.abs(bin.confidence - bin.right), 0);
  const count = outcomes.length;
  return { count, accuracy: hits / count, nll: nll / count, brier: brier / count, ece: gap / count };
}

/** Probability that a true noul is given more than a false one; ties count half. `right` is 0 where true. */
export function auroc(outcomes: readonly Outcome[]): number {
  const scored = outcomes.map(({ probabilities, right }) => ({
    p: probabilities[0] ?? 0,
    truth: right === 0,
  }));
  scored.sort((a, b) => a.p - b.p);
  let [rankSum, trues] = [0, 0];
  for (let i = 0; i < scored.length;) {
    let j = i;
    while (j < scored.length && scored[j]?.p === scored[i]?.p) j++;
    for (let k = i; k < j; k++) {
      if (scored[k]?.truth !== true) continue;
      trues++;
      rankSum += (i + j + 1) / 2;
    }
    i = j;
  }
  return (rankSum - (trues * (trues + 1)) / 2) / (trues * (scored.length - trues));
}

/** Rank correlation; ties share their mean rank. */
export function spearman(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [ranks(a), ranks(b)];
  const middle = (a.length - 1) / 2;
  let [both, left, right] = [0, 0, 0];
  x.forEach((rank, i) => {
    const [dx, dy] = [rank - middle, (y[i] ?? 0) - middle];
    both += dx * dy;
    left += dx * dx;
    right += dy * dy;
  });
  return both / Math.sqrt(left * right);
}

function ranks(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return below + (equal - 1) / 2;
  });
}
