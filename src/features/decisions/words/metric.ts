import type { WordVectors } from '../../../kernel/kit/word-vectors.ts';

/** Trained weight of words on one side of a comparison, as a function of their vector and rank. */
export interface WordWeighting {
  readonly bias: number;
  /** Times log(1 + rank) / log(1 + words). */
  readonly rank: number;
  /** Added for carrier words such as "please". */
  readonly filler: number;
  /** One per dimension of the vectors. */
  readonly vector: readonly number[];
}

/**
 * A trained transformation of word vectors: each unit vector x becomes x + stretch * x + expand(reduce(x)). It stays
 * near the identity, so that what is learned from one set of labels holds for others.
 */
export interface Metric {
  readonly stretch: readonly number[];
  /** Row-major, dimensions by rank. */
  readonly reduce: readonly number[];
  /** Row-major, rank by dimensions. */
  readonly expand: readonly number[];
  readonly state: WordWeighting;
  readonly hypothesis: WordWeighting;
}

/** A word of the vocabulary under the metric. */
export interface Placed {
  /** Of length 1. */
  readonly unit: Float32Array;
  /** Logarithms of the factors on the word's plain weight. */
  readonly state: number;
  readonly hypothesis: number;
}

/** Bound on the logarithm of a trained factor, so that no word vanishes or drowns the others. */
export const logFactorMax = 1.5;

export function placeWord(vectors: WordVectors, row: number, isFiller: boolean, metric: Metric): Placed {
  const plain = toUnit(vectors.vectorAt(row));
  const share = Math.log1p(row) / Math.log1p(vectors.size);
  return {
    unit: Float32Array.from(toUnit(moved(plain, metric))),
    state: logFactor(metric.state, plain, share, isFiller),
    hypothesis: logFactor(metric.hypothesis, plain, share, isFiller),
  };
}

/** The moved vector before it is scaled to length 1. */
export function moved(plain: Float64Array, { stretch, reduce, expand }: Metric): Float64Array {
  const size = plain.length;
  const rank = expand.length / size;
  const inner = new Float64Array(rank);
  for (let i = 0; i < size; i++) {
    const x = plain[i] ?? 0;
    for (let k = 0; k < rank; k++) inner[k] = (inner[k] ?? 0) + x * (reduce[i * rank + k] ?? 0);
  }
  const out = plain.map((x, i) => x * (1 + (stretch[i] ?? 0)));
  for (let k = 0; k < rank; k++) {
    const z = inner[k] ?? 0;
    for (let i = 0; i < size; i++) out[i] = (out[i] ?? 0) + z * (expand[k * size + i] ?? 0);
  }
  return out;
}

function logFactor(weighting: WordWeighting, plain: Float64Array, share: number, isFiller: boolean): number {
  let sum = weighting.bias + weighting.rank * share + (isFiller ? weighting.filler : 0);
  for (let i = 0; i < plain.length; i++) sum += (weighting.vector[i] ?? 0) * (plain[i] ?? 0);
  return Math.max(-logFactorMax, Math.min(logFactorMax, sum));
}

/** Scales a vector to length 1 in place; a zero vector stays. */
export function toUnit(vector: Float64Array): Float64Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const factor = 1 / Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) * factor;
  return vector;
}

/** The identity, from which training starts. */
export function plainMetric(dimensions: number, rank: number): Metric {
  const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
  const weighting = { bias: 0, rank: 0, filler: 0, vector: zeros(dimensions) };
  return {
    stretch: zeros(dimensions),
    reduce: zeros(dimensions * rank),
    expand: zeros(rank * dimensions),
    state: weighting,
    hypothesis: weighting,
  };
}
