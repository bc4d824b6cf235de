/** Texts for trying an embedding model: the first two mean the same, the third something else. */
export const exampleTexts = [
  'Where is my parcel?',
  'The package has not arrived.',
  'The kea is a parrot of the mountains.',
] as const;

/** What the vectors of the example texts say, in words. */
export function compareExamples(vectors: readonly (readonly number[] | Float32Array)[]): string {
  const [text = [], alike = [], other = []] = vectors;
  const near = cosine(text, alike).toFixed(2);
  const far = cosine(text, other).toFixed(2);
  return `similarity of two texts that mean the same ${near}, of two that do not ${far}`;
}

/** Cosine of the angle between two vectors, in [-1, 1]; NaN where one is zero. */
function cosine(a: readonly number[] | Float32Array, b: readonly number[] | Float32Array): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (const [index, x] of a.entries()) {
    const y = b[index] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return dot / Math.sqrt(aa * bb);
}
