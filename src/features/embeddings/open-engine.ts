import {
  embeddingEngines,
  type EmbeddingEngineName,
  type EmbeddingEngineOptions,
  type OpenedEmbeddingEngine,
} from './engines/index.ts';

export interface EmbeddingChoice extends EmbeddingEngineOptions {
  readonly engine: 'auto' | EmbeddingEngineName;
}

/**
 * Opens the engine that was chosen. `auto` is `openai-compatible` where upstreams are named, else `local` where a GGUF
 * file is named, else `baseline`.
 */
export function openEmbeddingEngine(choice: EmbeddingChoice): Promise<OpenedEmbeddingEngine> {
  const { engine, ...options } = choice;
  const best =
    options.upstreams.length > 0 ? 'openai-compatible' : options.path === null ? 'baseline' : 'local';
  return embeddingEngines[engine === 'auto' ? best : engine](options);
}
