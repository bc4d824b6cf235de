import { dot } from './vectors.ts';

const passes = 15;

/** Centres of unit vectors by k-means under the cosine, as one flat list. Starts from evenly spaced vectors. */
export function findCentres(vectors: readonly Float64Array[], count: number): number[] {
  const step = vectors.length / count;
  let centres = Array.from({ length: count }, (_, c) => vectors[Math.floor(c * step)] ?? new Float64Array());
  for (let pass = 0; pass < passes; pass++) {
    const sums = centres.map((centre) => new Float64Array(centre.length));
    for (const vector of vectors) {
      const sum = sums[nearest(vector, centres)];
      if (sum !== undefined) vector.forEach((x, i) => (sum[i] = (sum[i] ?? 0) + x));
    }
    centres = sums.map((sum, c) => {
      const length = Math.sqrt(dot(sum, sum));
      return length === 0 ? (centres[c] ?? sum) : sum.map((x) => x / length);
    });
  }
  return centres.flatMap((centre) => Array.from(centre));
}

function nearest(vector: Float64Array, centres: readonly Float64Array[]): number {
  let [best, found] = [0, Number.NEGATIVE_INFINITY];
  for (const [c, centre] of centres.entries()) {
    const cosine = dot(vector, centre);
    if (cosine > found) [best, found] = [c, cosine];
  }
  return best;
}
