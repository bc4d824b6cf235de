import {
  logFactorMax,
  moved,
  type Metric,
  type WordWeighting,
} from '../src/features/decisions/words/metric.ts';
import type { Bag, Word } from './vocabulary.ts';

export type Side = 'state' | 'hypothesis';

/** The words of one batch, placed by the metric, with the gradients that the batch leaves on them. */
export interface Space {
  readonly words: readonly Word[];
  readonly indexOf: ReadonlyMap<Word, number>;
  /** Unit vectors, row after row. */
  readonly units: Float64Array;
  readonly lengths: Float64Array;
  /** Cosine of every two words. */
  readonly cosines: Float64Array;
  readonly weights: Readonly<Record<Side, Float64Array>>;
  /** Slopes of the loss in what stands above. */
  readonly cosineSlopes: Float64Array;
  readonly weightSlopes: Readonly<Record<Side, Float64Array>>;
}

export function createSpace(bags: readonly Bag[], metric: Metric): Space {
  const words = [...new Set(bags.flatMap((bag) => bag.words))];
  const [count, size] = [words.length, metric.stretch.length];
  const units = new Float64Array(count * size);
  const lengths = new Float64Array(count);
  words.forEach(({ plain }, w) => {
    const out = moved(plain, metric);
    const length = Math.max(1e-9, Math.sqrt(out.reduce((sum, x) => sum + x * x, 0)));
    lengths[w] = length;
    for (let i = 0; i < size; i++) units[w * size + i] = (out[i] ?? 0) / length;
  });
  return {
    words,
    indexOf: new Map(words.map((word, w) => [word, w])),
    units,
    lengths,
    cosines: allCosines(units, count, size),
    weights: { state: weigh(words, metric.state), hypothesis: weigh(words, metric.hypothesis) },
    cosineSlopes: new Float64Array(count * count),
    weightSlopes: { state: new Float64Array(count), hypothesis: new Float64Array(count) },
  };
}

function allCosines(units: Float64Array, count: number, size: number): Float64Array {
  const cosines = new Float64Array(count * count);
  for (let a = 0; a < count; a++) {
    for (let b = a; b < count; b++) {
      let sum = 0;
      for (let i = 0; i < size; i++) sum += (units[a * size + i] ?? 0) * (units[b * size + i] ?? 0);
      cosines[a * count + b] = cosines[b * count + a] = sum;
    }
  }
  return cosines;
}

function logFactor(word: Word, { bias, rank, filler, vector }: WordWeighting): number {
  let sum = bias + rank * word.share + filler * word.filler;
  for (let i = 0; i < vector.length; i++) sum += (vector[i] ?? 0) * (word.plain[i] ?? 0);
  return sum;
}

function weigh(words: readonly Word[], weighting: WordWeighting): Float64Array {
  return Float64Array.from(words, (word) => {
    const log = logFactor(word, weighting);
    return word.weight * Math.exp(Math.max(-logFactorMax, Math.min(logFactorMax, log)));
  });
}

/** Slopes of the loss in the numbers of a metric, in the metric's own shape. */
export interface MetricSlopes {
  readonly stretch: Float64Array;
  readonly reduce: Float64Array;
  readonly expand: Float64Array;
  readonly state: WeightingSlopes;
  readonly hypothesis: WeightingSlopes;
}

export interface WeightingSlopes {
  /** bias, rank, filler. */
  readonly scalars: Float64Array;
  readonly vector: Float64Array;
}

/** Carries the slopes that a batch left on its words back to the metric, adding onto `into`. */
export function carryBack(space: Space, metric: Metric, into: MetricSlopes): void {
  for (const side of ['state', 'hypothesis'] as const) carryWeights(space, side, metric[side], into[side]);
  const { words, units, lengths, cosineSlopes } = space;
  const [count, size] = [words.length, metric.stretch.length];
  const slope = new Float64Array(size);
  words.forEach(({ plain }, a) => {
    slope.fill(0);
    for (let b = 0; b < count; b++) {
      const s = (cosineSlopes[a * count + b] ?? 0) + (cosineSlopes[b * count + a] ?? 0);
      if (s === 0) continue;
      for (let i = 0; i < size; i++) slope[i] = (slope[i] ?? 0) + s * (units[b * size + i] ?? 0);
    }
    let along = 0;
    for (let i = 0; i < size; i++) along += (slope[i] ?? 0) * (units[a * size + i] ?? 0);
    const length = lengths[a] ?? 1;
    for (let i = 0; i < size; i++) slope[i] = ((slope[i] ?? 0) - along * (units[a * size + i] ?? 0)) / length;
    carryPlace(plain, slope, metric, into);
  });
}

function carryPlace(plain: Float64Array, slope: Float64Array, metric: Metric, into: MetricSlopes): void {
  const size = plain.length;
  const rank = metric.expand.length / size;
  for (let i = 0; i < size; i++) into.stretch[i] = (into.stretch[i] ?? 0) + (slope[i] ?? 0) * (plain[i] ?? 0);
  for (let k = 0; k < rank; k++) {
    let [inner, back] = [0, 0];
    for (let i = 0; i < size; i++) {
      inner += (plain[i] ?? 0) * (metric.reduce[i * rank + k] ?? 0);
      back += (slope[i] ?? 0) * (metric.expand[k * size + i] ?? 0);
    }
    for (let i = 0; i < size; i++) {
      into.expand[k * size + i] = (into.expand[k * size + i] ?? 0) + inner * (slope[i] ?? 0);
      into.reduce[i * rank + k] = (into.reduce[i * rank + k] ?? 0) + back * (plain[i] ?? 0);
    }
  }
}

function carryWeights(space: Space, side: Side, weighting: WordWeighting, into: WeightingSlopes): void {
  space.words.forEach((word, w) => {
    if (Math.abs(logFactor(word, weighting)) > logFactorMax) return;
    const slope = (space.weightSlopes[side][w] ?? 0) * (space.weights[side][w] ?? 0);
    [1, word.share, word.filler].forEach((x, i) => (into.scalars[i] = (into.scalars[i] ?? 0) + slope * x));
    for (let i = 0; i < into.vector.length; i++)
      into.vector[i] = (into.vector[i] ?? 0) + slope * (word.plain[i] ?? 0);
  });
}
