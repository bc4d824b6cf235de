import type { EmbeddingEngine } from '../../src/features/embeddings/embedding.ts';
import { fit } from '../../src/features/embeddings/embedding.ts';
import { openEncoderCache } from '../../src/features/models/encoder-cache.ts';

/** An engine that computes no text twice, over runs as well. */
export function keepVectors(engine: EmbeddingEngine, folder: string): EmbeddingEngine {
  const dimensions = engine.storedDimensions ?? 1_024;
  const version = (engine.vectors ?? engine.name).replaceAll(/\W/g, '-');
  const cache = openEncoderCache({ folder, version, dimensions });
  return {
    ...engine,
    async embed(texts, size, signal, account) {
      await cache.opened();
      const missing = [...new Set(texts.filter((text) => cache.get(text) === undefined))];
      const made = missing.length === 0 ? [] : await engine.embed(missing, size, signal, account);
      for (const [place, text] of missing.entries())
        cache.put(text, (made[place] ?? new Float32Array()).slice(0, dimensions));
      return texts.map((text) => fit(cache.get(text) ?? new Float32Array(), size));
    },
    async close() {
      await cache.close();
      await engine.close();
    },
  };
}
