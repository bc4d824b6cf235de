import type { EmbeddingSize } from './embedding.ts';

/**
 * A vector of another length as one of the size. A longer one is cut, as the sizes of one family are; a shorter one is
 * filled with zeros, which changes no cosine.
 */
export function fit(vector: Float32Array, size: EmbeddingSize): Float32Array {
  if (vector.length === size) return vector;
  const fitted = new Float32Array(size);
  fitted.set(vector.subarray(0, size));
  return fitted;
}
