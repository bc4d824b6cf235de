import { toOffset, type Learned, type Lesson } from './head.ts';
import { minimiseSlope } from './minimise-slope.ts';

type Linear = Extract<Learned, { readonly kind: 'linear' }>;

/** Length of the start along the mean of each option's examples; 15 steps from there come as far as 25 from nothing. */
const startLength = 10;
const steps = 12;
/** Rows whose slopes are added in one pass over the weights: memory is what takes the time. */
const together = 4;
/** Passes between two yields; a millisecond with a hundred options. */
const stretch = 4;
const none = new Float64Array(0);

/**
 * Multinomial logistic regression over the centred vectors with the prior as an offset, so that it learns what the prior
 * does not know. `penalty` is that of the squared weights beside the summed log loss.
 */
export function* fitLinear(lesson: Lesson, penalty: number): Generator<void, Linear> {
  const { vectors, priors, right, options } = lesson;
  const mean = meanOf(vectors);
  const size = mean.length;
  const rows = vectors.map((vector) => Float64Array.from(vector, (x, i) => x - (mean[i] ?? 0)));
  const offsets = priors.map((prior) => Float64Array.from(prior, toOffset));
  function* lossAt(weights: Float64Array, slope: Float64Array): Generator<void, number> {
    let loss = 0;
    for (let i = 0; i < weights.length; i++) {
      const weight = weights[i] ?? 0;
      loss += (penalty / 2) * weight * weight;
      slope[i] = penalty * weight;
    }
    for (let from = 0; from < rows.length; from += together) {
      const errors = offsets.slice(from, from + together).map((offset) => Float64Array.from(offset));
      for (const [place, logits] of errors.entries()) {
        addProduct(logits, rows[from + place] ?? none, weights);
        const truth = right[from + place] ?? 0;
        const wanted = logits[truth] ?? 0;
        loss += toProbabilities(logits) - wanted;
        logits[truth] = (logits[truth] ?? 0) - 1;
      }
      addOuter(slope, rows.slice(from, from + together), errors);
      if ((from / together) % stretch === 0) yield;
    }
    return loss;
  }
  const start = startOf(rows, right, size, options);
  return { kind: 'linear', mean, weights: yield* minimiseSlope(start, lossAt, steps) };
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
function startOf(rows: readonly Float64Array[], right: readonly number[], size: number, options: number) {
  const counts = new Float64Array(options);
  for (const option of right) counts[option] = (counts[option] ?? 0) + 1;
  const start = new Float64Array(size * options);
  for (const [index, row] of rows.entries()) {
    const option = right[index] ?? 0;
    const share = startLength / (counts[option] ?? 1);
    for (let i = 0, at = option; i < size; i++, at += options)
      start[at] = (start[at] ?? 0) + share * (row[i] ?? 0);
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

/** `into += Σ row ⊗ errors` of up to four rows. */
function addOuter(into: Float64Array, rows: readonly Float64Array[], errors: readonly Float64Array[]): void {
  const [errorsA = none, errorsB = none, errorsC = none, errorsD = none] = errors;
  const [rowA = none, rowB = none, rowC = none, rowD = none] = rows;
  const options = errorsA.length;
  for (let i = 0, at = 0; i < rowA.length; i++) {
    const [a, b, c, d] = [rowA[i] ?? 0, rowB[i] ?? 0, rowC[i] ?? 0, rowD[i] ?? 0];
    for (let o = 0; o < options; o++, at++)
      into[at] =
        (into[at] ?? 0) +
        a * (errorsA[o] ?? 0) +
        b * (errorsB[o] ?? 0) +
        c * (errorsC[o] ?? 0) +
        d * (errorsD[o] ?? 0);
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
