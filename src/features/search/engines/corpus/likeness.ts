import type { QueryVector, StoredVector } from '../../corpus/candidates.ts';

/** How like candidates are, by their place among them: 0 for one as like the query as they are on average, 1 for the same. */
export interface Likenesses {
  /** Below 0 for one that is less like it than most; 0 where there is no vector to compare. */
  toQuery(place: number): number;
  /** Not relative to others; 0 where there is no vector to compare. */
  cosine(place: number): number;
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
 *
 * @param isTypical Whether one counts in the mean, by its place: those that were found because they are alike would raise it.
 */
export function toLikenesses(
  stored: readonly StoredVector[],
  vector: QueryVector | null,
  isTypical: (place: number) => boolean = () => true,
): Likenesses {
  const bytes = stored.map((one) => (one.embeddedBy === vector?.embeddedBy ? one.vector : null));
  // Of some engines only the beginning of a vector is stored.
  const longest = Math.max(0, ...bytes.map((one) => one?.length ?? 0));
  const query = vector === null ? null : toDirection(vector.values.subarray(0, longest));
  if (query === null) return { toQuery: () => 0, cosine: () => 0, ofTwo: () => 0 };
  const windows = bytes.map((one) => (one === null ? [] : toDirections(one, query.values.length)));
  const cosines = windows.map((own) =>
    own.length === 0 ? null : Math.max(...own.map((direction) => cosine(query, direction))),
  );
  const all = cosines.filter((value) => value !== null);
  const typical = cosines.filter((value, place) => value !== null && isTypical(place));
  const known = typical.length > 0 ? typical.filter((value) => value !== null) : all;
  const mean = known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length);
  const relative = (value: number) => (mean > 1 - 1e-6 ? 0 : (value - mean) / (1 - mean));
  return {
    toQuery: (place) => relative(cosines[place] ?? mean),
    cosine: (place) => cosines[place] ?? 0,
    ofTwo(place, other) {
      const [own, others] = [windows[place] ?? [], windows[other] ?? []];
      const pairs = own.flatMap((a) => others.map((b) => cosine(a, b)));
      return pairs.length === 0 ? 0 : Math.max(0, relative(Math.max(...pairs)));
    },
  };
}

/** A vector, or those of the windows of a passage one behind the other; those of zeros are left out. */
function toDirections(bytes: Uint8Array, dimensions: number): readonly Direction[] {
  const values = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const step = values.length % dimensions === 0 ? dimensions : values.length;
  const directions: Direction[] = [];
  for (let at = 0; at < values.length; at += step) {
    const direction = toDirection(values.subarray(at, at + step));
    if (direction !== null) directions.push(direction);
  }
  return directions;
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
