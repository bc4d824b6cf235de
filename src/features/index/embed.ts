import type { EmbeddingEngine } from '../embeddings/feature.ts';

/** Embeds passages with the engine that is configured. */
export interface PassageEmbedder {
  /** Public name of the engine: vectors of another one are not comparable. */
  readonly name: string;
  /** One per text. */
  embedPassages(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
  /** Texts per call; more would make a request too large. */
  readonly textsAtOnce: number;
  /** Number of leading values that are kept. */
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

/** Beyond these the vectors of the embedded engine hold single words, which the index finds better. */
const baselineDimensions = 256;
const dimensionsMax = 1_024;
const textsAtOnce = 32;

/** The vectors of an engine as the index keeps them. */
export function toEmbedder(embeddings: EmbeddingEngine): PassageEmbedder {
  return {
    name: embeddings.name,
    textsAtOnce,
    dimensions: embeddings.name === 'baseline' ? baselineDimensions : dimensionsMax,
    embedPassages: (texts, signal) => embeddings.embed(texts, dimensionsMax, signal),
  };
}
