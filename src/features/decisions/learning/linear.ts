import { toOffset, type Linear, type Lesson } from './head.ts';
import { minimiseSlope } from './minimise-slope.ts';
import { multiply, transposed } from './products.ts';

/** Length of the start along the mean of each option's examples; 15 steps from there come as far as 25 from nothing. */
const startLength = 10;
/** With the nearest examples beside it, 12 gave as much as 8, within 0.003 of accuracy; see docs/decisions. */
const steps = 8;
/** Rows whose probabilities are taken between two yields. */
const stretch = 64;

/**
 * Multinomial logistic regression over the centred vectors with the prior as an offset, so that it learns what the prior
 * does not know. `penalty` is that of the squared weights beside the summed log loss.
 */
export function* fitLinear(lesson: Lesson, penalty: number): Generator<void, Linear> {
  const { vectors, priors, right, options } = lesson;
  const mean = meanOf(vectors);
  const size = mean.length;
  const rows = new Float64Array(vectors.length * size);
  for (const [row, vector] of vectors.entries())
    for (let i = 0; i < size; i++) rows[row * size + i] = (vector[i] ?? 0) - (mean[i] ?? 0);
  yield;
  const columns = transposed(rows, size);
  const offsets = new Float64Array(priors.length * options);
  for (const [row, prior] of priors.entries()) offsets.set(prior.map(toOffset), row * options);
  const logits = new Float64Array(offsets.length);
  yield;
  /** Weights option after option here, because rows of one length are what is fast to multiply. */
  function* lossAt(weights: Float64Array, slope: Float64Array): Generator<void, number> {
    yield* multiply(logits, rows, weights, size);
    let loss = 0;
    for (const [row, truth] of right.entries()) {
      const own = logits.subarray(row * options, (row + 1) * options);
      for (let o = 0; o < options; o++) own[o] = (own[o] ?? 0) + (offsets[row * options + o] ?? 0);
      const wanted = own[truth] ?? 0;
      loss += toProbabilities(own) - wanted;
      own[truth] = (own[truth] ?? 0) - 1;
      if (row % stretch === 0) yield;
    }
    yield* multiply(slope, transposed(logits, options), columns, right.length);
    for (let i = 0; i < weights.length; i++) {
      const weight = weights[i] ?? 0;
      loss += (penalty / 2) * weight * weight;
      slope[i] = (slope[i] ?? 0) + penalty * weight;
    }
    return loss;
  }
  const start = startOf(rows, right, size, options);
  const weights = yield* minimiseSlope(start, lossAt, steps);
  return { kind: 'linear', mean, weights: transposed(weights, size) };
}

export function linearLogits({ mean, weights }: Linear, vector: Float32Array, prior: readonly number[]) {
  const logits = Float64Array.from(prior, toOffset);
  addProduct(
    logits,
    Float64Array.from(vector, (x, i) => x - (mean[i] ?? 0)),
    weights,
  );
  return logits;
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors)
    for (let i = 0; i < mean.length; i++) mean[i] = (mean[i] ?? 0) + (vector[i] ?? 0) / vectors.length;
  return mean;
}

/** Along the mean of each option's rows. */
function startOf(rows: Float64Array, right: readonly number[], size: number, options: number) {
  const counts = new Float64Array(options);
  for (const option of right) counts[option] = (counts[option] ?? 0) + 1;
  const start = new Float64Array(size * options);
  for (const [row, option] of right.entries()) {
    const share = startLength / (counts[option] ?? 1);
    for (let i = 0; i < size; i++)
      start[option * size + i] = (start[option * size + i] ?? 0) + share * (rows[row * size + i] ?? 0);
  }
  return start;
}

/** `into += row · weights`, four dimensions in one pass. */
function addProduct(into: Float64Array, row: Float64Array, weights: Float64Array): void {
  const options = into.length;
  for (let i = 0; i < row.length; i += 4) {
    const [a, b, c, d] = [row[i] ?? 0, row[i + 1] ?? 0, row[i + 2] ?? 0, row[i + 3] ?? 0];
    const [atA, atB, atC, atD] = [i * options, (i + 1) * options, (i + 2) * options, (i + 3) * options];
    for (let o = 0; o < options; o++)
      into[o] =
        (into[o] ?? 0) +
        a * (weights[atA + o] ?? 0) +
        b * (weights[atB + o] ?? 0) +
        c * (weights[atC + o] ?? 0) +
        d * (weights[atD + o] ?? 0);
  }
}

/** Turns logits into probabilities and returns the logarithm of the sum of their exponentials. */
function toProbabilities(logits: Float64Array): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (const logit of logits) highest = Math.max(highest, logit);
  let total = 0;
  for (let i = 0; i < logits.length; i++) total += logits[i] = Math.exp((logits[i] ?? 0) - highest);
  for (let i = 0; i < logits.length; i++) logits[i] = (logits[i] ?? 0) / total;
  return highest + Math.log(total);
}
