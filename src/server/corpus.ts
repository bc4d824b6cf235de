import type { Config } from '../config.ts';
import type { IndexTools } from '../commands/index-parts.ts';
import type { PassageEmbedder } from '../corpus/embed.ts';
import { openBackgroundIndexing, type BackgroundIndexing } from '../corpus/open-indexing.ts';
import type { IndexingParts } from '../corpus/parts.ts';
import { refreshSource } from '../corpus/refresh.ts';
import { createDocumentMaker } from '../corpus/to-document.ts';
import type { EmbeddingEngine } from '../embeddings/embedding.ts';
import { systemClock, type Clock } from '../kit/clock.ts';
import { openGuardedClient, type GuardedClient } from '../kit/guarded-client.ts';
import { randomIds, type Ids } from '../kit/ids.ts';
import { openLog, type Log } from '../kit/log.ts';
import type { PageReader } from '../search/page.ts';
import { openPageReader } from '../search/page/open-page-reader.ts';
import { createCorpusSources } from '../storage/corpus-sources.ts';
import { createCorpus } from '../storage/corpus.ts';
import { openDatabase, type Database } from '../storage/database.ts';
import { openEmbeddings } from './embeddings.ts';

/** Between two requests to one host. Unit: ms. */
const politeDelayMs = 500;

/** Beyond these the vectors of the embedded engine hold single words, which the index finds better. */
const baselineDimensions = 256;
const dimensionsMax = 1_024;

/** Folder with README.md and docs/. */
const root = new URL('../../', import.meta.url);

interface Means {
  readonly database: Pick<Database, 'db'>;
  readonly embeddings: EmbeddingEngine;
  readonly pages: PageReader;
  readonly client: GuardedClient;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface ServerIndexing {
  /** Begins with the documentation, which is found at the address of this server. */
  start(url: string): void;
  close(): Promise<void>;
}

/** Keeps the index fresh while a server runs. Nothing happens before `start`. */
export function prepareIndexing(config: Config, means: Means, log: Log): ServerIndexing {
  let background: BackgroundIndexing | null = null;
  return {
    start(url) {
      const base = (config.publicUrl ?? url).replace(/\/+$/, '');
      background ??= openBackgroundIndexing({ parts: toParts(config, means), docs: { root, base }, log });
    },
    close: async () => background?.close(),
  };
}

/** The index of a configuration for commands, beside servers that may be running on it. */
export async function openIndexTools(config: Config, clock: Clock = systemClock): Promise<IndexTools> {
  const opened = new AsyncDisposableStack();
  const keep = <Part extends { close(): Promise<void> }>(part: Part): Part => {
    opened.defer(() => part.close());
    return part;
  };
  try {
    const database = keep(await openDatabase(config.database, { dataFolder: config.dataFolder }));
    const embeddings = keep(await openEmbeddings(config, await openLog({ ...config.log, level: 'error' })));
    const client = keep(openGuardedClient(config.outbound));
    const pages = keep(openPageReader({ client, clock }));
    const parts = toParts(config, {
      database,
      embeddings,
      pages,
      client,
      clock,
      ids: randomIds,
    });
    return {
      sources: parts.sources,
      corpus: parts.corpus,
      refresh: (source, signal, onProgress) => refreshSource(parts, source, signal, onProgress),
      close: () => opened.disposeAsync(),
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

function toParts(config: Config, { database, embeddings, pages, client, clock, ids }: Means): IndexingParts {
  return {
    corpus: createCorpus(database.db),
    sources: createCorpusSources(database.db),
    maker: createDocumentMaker(toEmbedder(embeddings)),
    embeddedBy: embeddings.name,
    reader: pages,
    client,
    userAgent: config.outbound.userAgent,
    clock,
    owner: ids.secret(16),
    delayMs: politeDelayMs,
  };
}

export function toEmbedder(embeddings: EmbeddingEngine): PassageEmbedder {
  return {
    name: embeddings.name,
    textsAtOnce: embeddings.name === 'baseline' ? 2 : 32,
    dimensions: embeddings.name === 'baseline' ? baselineDimensions : dimensionsMax,
    embedPassages: (texts, signal) => embeddings.embed(texts, dimensionsMax, signal),
  };
}
