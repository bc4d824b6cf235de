/** Probability of at most `errors` among `count` independent answers, each wrong with probability `rate`. */
export function binomialTail(errors: number, count: number, rate: number): number {
  if (errors >= count || rate <= 0) return 1;
  if (rate >= 1) return 0;
  // Summed away from the mean, where each term is smaller than the last: the first would else underflow.
  if (errors < count * rate) return sumDown(errors, count, rate);
  return Math.max(0, 1 - sumDown(count - errors - 1, count, 1 - rate));
}

function sumDown(from: number, count: number, rate: number): number {
  let term = Math.exp(logChoose(count, from) + from * Math.log(rate) + (count - from) * Math.log1p(-rate));
  let sum = 0;
  for (let k = from; k >= 0 && term > 0; k--) {
    sum += term;
    term *= (k / (count - k + 1)) * ((1 - rate) / rate);
  }
  return sum;
}

/** Clopper and Pearson's exact interval of a share. */
export function exactInterval(
  errors: number,
  count: number,
  confidence: number,
): readonly [low: number, high: number] {
  if (count === 0) return [0, 1];
  const side = (1 - confidence) / 2;
  const high = errors === count ? 1 : rateAt((rate) => binomialTail(errors, count, rate) > side);
  const low = errors === 0 ? 0 : rateAt((rate) => 1 - binomialTail(errors - 1, count, rate) < side);
  return [low, high];
}

/** Fewest answers, none of them wrong, that tell a rate above `maxError` from one below it. */
export function answersNeeded(maxError: number, significance: number): number {
  return Math.ceil(Math.log(significance) / Math.log1p(-maxError));
}

function logChoose(n: number, k: number): number {
  let sum = 0;
  for (let i = 1; i <= k; i++) sum += Math.log((n - k + i) / i);
  return sum;
}

/** Where a condition that holds of small rates stops to hold. */
function rateAt(holds: (rate: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
