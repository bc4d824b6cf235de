import type { PassageEmbedder } from './embed.ts';
import type { EmbeddingEngine } from '../embeddings/feature.ts';

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
