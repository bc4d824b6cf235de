import { withoutEndSlashes } from '../../kernel/kit/text.ts';
import type { Config } from '../../kernel/config.ts';
import type { Services } from '../../kernel/feature.ts';
import type { Kernel } from '../../kernel/open-kernel.ts';
import { openDocumentMaker, type OpenedDocumentMaker } from './maker-thread.ts';
import { countEmbedded } from './administration.ts';
import { openBackgroundIndexing, type BackgroundIndexing } from './open-indexing.ts';
import type { IndexingContext } from './context.ts';
import { refreshSource } from './refresh.ts';
import { withShippedVectors } from './shipped-vectors.ts';
import { dimensionsMax, toEmbedder, type DocumentMaker } from './to-document.ts';
import { type EmbeddingEngine, openEmbeddings, vectorsOf } from '../embeddings/feature.ts';
import { encoderSuits, shareEncoder } from '../models/feature.ts';
import { moduleBeside } from '../../kernel/kit/beside.ts';
import { systemClock, type Clock } from '../../kernel/kit/clock.ts';
import { openGuardedClient } from '../../kernel/kit/guarded-client.ts';
import { randomIds } from '../../kernel/kit/ids.ts';
import { openLog, type Log } from '../../kernel/kit/log.ts';
import { openPageReader, Corpus, CorpusVectors, tendNearest } from '../search/feature.ts';
import { CorpusAttempts } from './store/attempts.ts';
import { CorpusSources } from './store/sources.ts';
import { IndexTexts } from './store/texts.ts';
import { openDatabase } from '../../kernel/store/database.ts';
import type { CorpusWorkerInput } from './corpus-worker.ts';
import type { CommandContext } from '../../kernel/commands/command.ts';
import type { Progress, Source } from './source.ts';

export type IndexTools = Awaited<ReturnType<typeof openIndexTools>>;

/** Part of the context that the subcommands of `nestor index` use. */
export type IndexContext = Pick<
  CommandContext,
  'cwd' | 'load' | 'openIndex' | 'out' | 'err' | 'clock' | 'signal'
>;

/** Pause between two requests to one host. Unit: ms. */
const politeDelayMs = 500;

/** Folder with README.md and docs/. */
const root = new URL('../../../', import.meta.url);

/** What the server has open already. */
type Dependencies = Pick<Kernel, 'database' | 'client' | 'clock' | 'ids'> &
  Pick<Services, 'embeddings' | 'pages'>;

/** Keeps the index fresh while a server runs. Nothing happens before `start`. */
export function prepareIndexing(config: Config, dependencies: Dependencies, log: Log) {
  const maker = openMaker(dependencies.embeddings);
  let background: BackgroundIndexing | null = null;
  return {
    /**
     * Begins with the documentation, which is found at this address; null for no documentation. Resolves once an index that
     * had none has it.
     */
    start(docsAt: string | null): Promise<void> {
      background ??= openBackgroundIndexing({
        context: toContext(config, dependencies, maker),
        docs: docsAt === null ? null : { root, base: withoutEndSlashes(docsAt) },
        log,
        tendNearest: toTendNearest(dependencies, log),
      });
      return background.firstFill;
    },
    /** For another indexer of this process; each has a lease owner of its own. */
    context: () => toContext(config, dependencies, maker),
    async close(): Promise<void> {
      await background?.close();
      await maker.close();
    },
  };
}

function toTendNearest({ database: { postgres }, embeddings }: Dependencies, log: Log) {
  if (postgres === null) return null;
  const { storedDimensions: dimensions = dimensionsMax } = embeddings;
  const of = { embeddedBy: vectorsOf(embeddings), dimensions };
  return (signal: AbortSignal) => tendNearest(postgres, of, { log, signal });
}

/** The index of a configuration for commands, beside servers that may be running on it. */
export async function openIndexTools(config: Config, clock: Clock = systemClock) {
  const opened = new AsyncDisposableStack();
  const keep = <Part extends { close(): Promise<void> }>(part: Part): Part => {
    opened.defer(() => part.close());
    return part;
  };
  try {
    const database = keep(await openDatabase(config.database, { dataFolder: config.dataFolder }));
    const log = await openLog({ ...config.log, level: 'error' });
    const embeddings = keep(await openEmbeddings(config, log, encoderSuits() ? shareEncoder() : null));
    const client = keep(openGuardedClient(config.outbound));
    const pages = keep(openPageReader({ client, clock }));
    const maker = keep(openMaker(embeddings));
    const dependencies = { database, embeddings, pages, client, clock, ids: randomIds };
    const context = toContext(config, dependencies, maker);
    return {
      sources: context.sources,
      corpus: context.corpus,
      texts: context.texts,
      countEmbedded: () => countEmbedded(context),
      /** Lets the next refresh read a source that was set aside. */
      resume: (id: string) => context.attempts.resume(id),
      /** Null when another process is at it. */
      refresh: (source: Source, signal: AbortSignal, onProgress: (progress: Progress) => void) =>
        refreshSource(context, source, signal, onProgress),
      close: () => opened.disposeAsync(),
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

function toContext(
  config: Config,
  { database, embeddings, pages, client, clock, ids }: Dependencies,
  maker: DocumentMaker,
): IndexingContext {
  const limits = {
    documentsMax: config.index.accountDocuments,
    bytesMax: config.index.accountMb * 1_048_576,
  };
  return {
    corpus: new Corpus(database.db, database.reader, limits),
    texts: new IndexTexts(database.db, database.reader, limits),
    sources: new CorpusSources(database.db, database.reader),
    attempts: new CorpusAttempts(database.db),
    maker,
    vectors: new CorpusVectors(database.db, database.reader),
    embedder: withShippedVectors(toEmbedder(embeddings)),
    embeddedBy: vectorsOf(embeddings),
    reader: pages,
    client,
    userAgent: config.outbound.userAgent,
    clock,
    owner: ids.secret(16),
    ids,
    limits,
    delayMs: politeDelayMs,
  };
}

/** Documents with the vectors of an engine: those of the embedded one are made where pages are split. */
export function openMaker(embeddings: EmbeddingEngine): OpenedDocumentMaker {
  const embeds = embeddings.name === 'words';
  const workerData: CorpusWorkerInput = { embeds };
  const workerUrl = moduleBeside('corpus-worker', import.meta.url);
  return openDocumentMaker({ workerUrl, workerData, embedder: embeds ? null : toEmbedder(embeddings) });
}
