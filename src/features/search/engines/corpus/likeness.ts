import type { FoundPassage } from '../../corpus/candidates.ts';

/** The vector of a query, and the engine that made it. */
export interface QueryVector {
  readonly values: Float32Array;
  readonly embeddedBy: string;
}

/** How like candidates are, by their place among them: 0 for one as like the query as they are on average, 1 for the same. */
export interface Likenesses {
  /** Below 0 for one that is less like it than most; 0 where there is no vector to compare. */
  toQuery(place: number): number;
  /** Never below 0. */
  ofTwo(place: number, other: number): number;
}

interface Direction {
  readonly values: Int8Array | Float32Array;
  readonly length: number;
}

/**
 * Cosines relative to their mean among the candidates: (cosine - mean) / (1 - mean). Cosines of one engine lie between
 * 0 and 0.7, of another between 0.7 and 0.9, because its vectors have much in common: a common part added to all vectors
 * turns 1 - cosine into a share of itself, which this takes back, so that one weight suits every engine. Dividing by the
 * variation of the candidates instead makes differences out of noise where all are alike, and ranked worse.
 */
export function toLikenesses(passages: readonly FoundPassage[], vector: QueryVector | null): Likenesses {
  if (vector === null) return { toQuery: () => 0, ofTwo: () => 0 };
  const directions = passages.map((passage) =>
    passage.vector === null || passage.embeddedBy !== vector.embeddedBy
      ? null
      : toDirection(
          new Int8Array(passage.vector.buffer, passage.vector.byteOffset, passage.vector.byteLength),
        ),
  );
  // Only the beginning of a vector is stored.
  const stored = Math.max(0, ...directions.map((direction) => direction?.values.length ?? 0));
  const query = toDirection(vector.values.subarray(0, stored));
  if (query === null) return { toQuery: () => 0, ofTwo: () => 0 };
  const cosines = directions.map((direction) => (direction === null ? null : cosine(query, direction)));
  const known = cosines.filter((value) => value !== null);
  const mean = known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length);
  const relative = (value: number) => (mean > 1 - 1e-6 ? 0 : (value - mean) / (1 - mean));
  return {
    toQuery: (place) => relative(cosines[place] ?? mean),
    ofTwo(place, other) {
      const [a, b] = [directions[place] ?? null, directions[other] ?? null];
      return a === null || b === null ? 0 : Math.max(0, relative(cosine(a, b)));
    },
  };
}

/** Null for a vector of zeros, which has no direction. */
function toDirection(values: Int8Array | Float32Array): Direction | null {
  const length = Math.sqrt(product(values, values, values.length));
  return length === 0 ? null : { values, length };
}

/** All vectors of one engine are equally long. */
function cosine(a: Direction, b: Direction): number {
  const count = Math.min(a.values.length, b.values.length);
  return product(a.values, b.values, count) / (a.length * b.length);
}

function product(a: Int8Array | Float32Array, b: Int8Array | Float32Array, count: number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
