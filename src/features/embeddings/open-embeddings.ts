import type { Config } from '../../kernel/config.ts';
import type { EmbeddingEngine } from './embedding.ts';
import { openEmbeddingEngine } from './open-engine.ts';
import type { Log } from '../../kernel/kit/log.ts';

/** For a whole request. Unit: ms. */
const timeoutMs = 60_000;

/** Opens the engine. One that cannot work is logged and kept, and `/readyz` reports it. */
export async function openEmbeddings(config: Config, log: Log): Promise<EmbeddingEngine> {
  const { engine, upstreams, path } = config.embeddings;
  const { gpu } = config.decisions;
  const { dataFolder } = config;
  const opened = await openEmbeddingEngine({ engine, upstreams, path, gpu, dataFolder, timeoutMs });
  if (opened.problem) log.error(`embeddings: ${opened.problem}`);
  return opened;
}
