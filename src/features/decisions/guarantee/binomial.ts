/** Probability of at most `errors` among `count` independent answers, each wrong with probability `rate`. */
export const binomialTail = (errors: number, count: number, rate: number): number =>
  createTail(errors, count)(rate);

/** The same for several rates. */
function createTail(errors: number, count: number): (rate: number) => number {
  if (errors >= count) return () => 1;
  const sumErrors = createSumDown(errors, count);
  const sumRight = createSumDown(count - errors - 1, count);
  return (rate) => {
    if (rate <= 0) return 1;
    if (rate >= 1) return 0;
    // Summed away from the mean, where each term is smaller than the last: the first would else underflow.
    return errors < count * rate ? sumErrors(rate) : Math.max(0, 1 - sumRight(1 - rate));
  };
}

/** The number of choices, whose terms are as many as `from`, is counted once, when it is needed. */
function createSumDown(from: number, count: number): (rate: number) => number {
  let choices: number | null = null;
  return (rate) => sumDown(from, count, rate, (choices ??= logChoose(count, from)));
}

function sumDown(from: number, count: number, rate: number, choices: number): number {
  let term = Math.exp(choices + from * Math.log(rate) + (count - from) * Math.log1p(-rate));
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
  const atMost = createTail(errors, count);
  const fewer = createTail(errors - 1, count);
  const high = errors === count ? 1 : rateAt((rate) => atMost(rate) > side);
  const low = errors === 0 ? 0 : rateAt((rate) => 1 - fewer(rate) < side);
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
