/** Vectors by whatever engine is configured, as the index keeps them. */
export interface PassageEmbedder {
  /** Public name of the engine: vectors of another one are not comparable. */
  readonly name: string;
  /** One per text. */
  embedPassages(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
  /** Texts per call: beyond so many a request gets too large. */
  readonly textsAtOnce: number;
  /** How many of their first values are kept. */
  readonly dimensions: number;
}

/** One byte a value, scaled so that the largest has 127; only the direction counts. */
export function toStoredVector(vector: Float32Array, dimensions: number): Uint8Array {
  const values = vector.subarray(0, dimensions);
  const bytes = new Int8Array(values.length);
  let largest = 0;
  // By index: iterating over a typed array costs three times as much.
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i] ?? 0));
  if (largest === 0) return new Uint8Array(bytes.buffer);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Math.round(((values[i] ?? 0) * 127) / largest);
  return new Uint8Array(bytes.buffer);
}
