import type { Config } from '../../kernel/config.ts';
import type { Log } from '../../kernel/kit/log.ts';
import type { OpenEncoder } from '../models/feature.ts';
import type {
  EmbeddingEngineDeclaration,
  EmbeddingEngineOptions,
  OpenedEmbeddingEngine,
  OpeningReport,
} from './define-engine.ts';
import type { EmbeddingEngine } from './embedding.ts';
import { embeddingEngines } from './engines/index.ts';

/** For a whole request. Unit: ms. */
const timeoutMs = 60_000;

/** Opens the engine. One that cannot work is logged and kept, and `/readyz` reports it. */
export async function openEmbeddings(
  { embeddings, decisions: { gpu, threads }, dataFolder }: Config,
  log: Log,
  openEncoder: OpenEncoder | null,
  known: readonly EmbeddingEngineDeclaration[] = embeddingEngines,
): Promise<EmbeddingEngine> {
  const options = { ...embeddings, gpu, threads, dataFolder, timeoutMs, openEncoder };
  const opened = await openEmbeddingEngine(options, known);
  const report = ({ problem, about }: OpeningReport) => {
    if (problem) log.error(`embeddings: ${problem}`);
    else if (about !== undefined) log.info(`embeddings: ${about}`);
  };
  report(opened);
  void opened.opened?.then(report);
  return opened;
}

/** Opens the engine that was chosen. `auto` is the last of the known engines that suits. */
export async function openEmbeddingEngine(
  { engine: name, ...options }: EmbeddingEngineOptions & { readonly engine: string },
  known: readonly EmbeddingEngineDeclaration[] = embeddingEngines,
): Promise<OpenedEmbeddingEngine> {
  const engine =
    name === 'auto' ? known.findLast((one) => one.suits?.(options)) : known.find((one) => one.name === name);
  if (engine === undefined) throw new Error(`no embedding engine ${name}`);
  return engine.open(options);
}
