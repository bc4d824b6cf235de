import type { EmbeddingEngine } from './embedding.ts';
import { embeddingEngines, type EmbeddingEngineName, type EmbeddingEngineOptions } from './engines/index.ts';

export interface EmbeddingChoice extends EmbeddingEngineOptions {
  readonly engine: 'auto' | EmbeddingEngineName;
}

/** Opens the engine that was chosen. `auto` is `openai-compatible` where upstreams are named, else `baseline`. */
export function openEmbeddingEngine(choice: EmbeddingChoice): Promise<EmbeddingEngine> {
  const { engine, ...options } = choice;
  const best = options.upstreams.length > 0 ? 'openai-compatible' : 'baseline';
  return embeddingEngines[engine === 'auto' ? best : engine](options);
}
