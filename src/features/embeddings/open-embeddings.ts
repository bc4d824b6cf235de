import type { Config } from '../../kernel/config.ts';
import type { EmbeddingEngine } from './embedding.ts';
import { openEmbeddingEngine } from './open-engine.ts';
import type { Log } from '../../kernel/kit/log.ts';

/** For a whole request. Unit: ms. */
const timeoutMs = 60_000;

/** One that cannot work is told and kept: the server serves, and `/readyz` says so. */
export async function openEmbeddings(config: Config, log: Log): Promise<EmbeddingEngine> {
  const { engine, upstreams, path } = config.embeddings;
  const { gpu } = config.decisions;
  const { dataFolder } = config;
  const opened = await openEmbeddingEngine({ engine, upstreams, path, gpu, dataFolder, timeoutMs });
  if (opened.problem) log.error(`embeddings: ${opened.problem}`);
  return opened;
}
