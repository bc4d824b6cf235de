import type { Config } from '../config.ts';
import type { EmbeddingEngine } from '../embeddings/embedding.ts';
import { openEmbeddingEngine } from '../embeddings/open-engine.ts';

/** For a whole request. Unit: ms. */
const timeoutMs = 60_000;

export function openEmbeddings({ embeddings }: Config): Promise<EmbeddingEngine> {
  const { engine, upstreams } = embeddings;
  return openEmbeddingEngine({ engine: engine === 'local' ? 'auto' : engine, upstreams, timeoutMs });
}
