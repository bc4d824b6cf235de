import type { IndexingContext } from '../../src/features/index/context.ts';
import { refreshSource } from '../../src/features/index/refresh.ts';
import {
  defaultOptions,
  sourceId,
  toSource,
  type Outcome,
  type SourceOptions,
} from '../../src/features/index/source.ts';
import { vectorsOf, type EmbeddingEngine } from '../../src/features/embeddings/embedding.ts';
import { openWordsEngine } from '../../src/features/embeddings/engines/words/index.ts';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { openGuardedClient } from '../../src/kernel/kit/guarded-client.ts';
import { noFilters, type Filters, type Hit, type SearchQuery } from '../../src/features/search/engine.ts';
import { openCorpusEngine } from '../../src/features/search/engines/corpus/index.ts';
import { weightsFor } from '../../src/features/search/engines/corpus/rank.ts';
import type { Page, SiteReader } from '../../src/features/search/page.ts';
import { openPageReader } from '../../src/features/search/page/open-page-reader.ts';
import { openMaker } from '../../src/features/index/open-index.ts';
import { guideSourceId } from '../../src/features/search/corpus/document.ts';
import { createCandidateFinder } from '../../src/features/search/corpus/find.ts';
import { CorpusAttempts } from '../../src/features/index/store/attempts.ts';
import { CorpusSources } from '../../src/features/index/store/sources.ts';
import { IndexTexts } from '../../src/features/index/store/texts.ts';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import { CorpusVectors } from '../../src/features/search/corpus/vectors.ts';
import { dimensionsMax, embedDocument, toEmbedder } from '../../src/features/index/to-document.ts';
import { withShippedVectors } from '../../src/features/index/shipped-vectors.ts';
import { tendNearest, type NearestState } from '../../src/features/search/corpus/nearest-index.ts';
import { Corpus } from '../../src/features/search/corpus/corpus.ts';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { openMadeStore } from '../support/made-store.ts';
import type { TestScope } from '../support/server.ts';

export interface TestIndex {
  readonly parts: IndexingContext;
  add(kind: 'folder' | 'web', location: string, options?: Partial<SourceOptions>): Promise<Outcome>;
  refresh(location: string, signal?: AbortSignal, onDone?: (done: number) => void): Promise<Outcome | null>;
  find(text: string, filters?: Partial<Filters>): Promise<readonly Hit[]>;
  /** Addresses, best first. */
  urls(text: string, filters?: Partial<Filters>): Promise<readonly string[]>;
  /** With an engine of embeddings that fails, or never answers, so that words alone rank. */
  urlsByWords(text: string, engine?: 'failing' | 'silent'): Promise<readonly string[]>;
  /** Indexes a document that was read elsewhere. */
  put(url: string, page: Partial<Page> & Pick<Page, 'text' | 'title'>): Promise<void>;
  /** Has PostgreSQL find the nearest vectors, where it has pgvector. */
  tendNearest(): Promise<NearestState>;
  /** Has the store say that an engine of this name made all vectors. */
  sayEmbeddedBy(name: string): Promise<void>;
}

function queryOf(text: string, filters: Partial<Filters> = {}): SearchQuery {
  return { text, kind: 'web', filters: { ...noFilters, ...filters }, place: null, safe: true, hitsMax: 10 };
}

const noSignal = new AbortController().signal;

/** Opened once in a process, whose end their idle threads do not hold up: half a second of CPU each, and more for HTML. */
let opened: SiteReader | null = null;
let ofWords: ReturnType<typeof openMaker> | null = null;

const openClient = (allowHosts: readonly string[]) =>
  openGuardedClient({ allowHosts, userAgent: 'Nestor/0.1' });

/** Of the index that was opened last, as tests run one after the other: only its hosts may be asked. */
let client = openClient([]);

const openReader = (): SiteReader =>
  openPageReader({
    client: { fetch: (url, asked) => client.fetch(url, asked), close: () => client.close() },
    clock: systemClock,
    timeoutMs: 60_000,
  });

/**
 * The index of a server, by default with the embedded engine, allowed to fetch from some hosts of this machine. Passages whose
 * vectors ship with Nestor, or are in `vectorsFile`, are not embedded.
 */
export async function openTestIndex(
  t: TestScope,
  allowHosts: readonly string[] = [],
  given: EmbeddingEngine | null = null,
  store?: string,
  vectorsFile?: URL,
): Promise<TestIndex> {
  const database = await (store === undefined
    ? openMadeStore()
    : openDatabase(store, { dataFolder: '/nowhere' }));
  const embeddings = given ?? (await openWordsEngine());
  t.after(() => database.close());
  const reader = (opened ??= openReader());
  const own = openClient(allowHosts);
  client = own;
  t.after(() => own.close());
  const maker = given === null ? (ofWords ??= openMaker(embeddings)) : openMaker(given);
  if (given !== null) t.after(() => maker.close());
  const embedder = withShippedVectors(toEmbedder(embeddings), vectorsFile);
  const parts: IndexingContext = {
    corpus: new Corpus(database.db),
    sources: new CorpusSources(database.db),
    attempts: new CorpusAttempts(database.db),
    texts: new IndexTexts(database.db),
    ids: randomIds,
    limits: { documentsMax: 1_000, bytesMax: 1_048_576 },
    maker,
    vectors: new CorpusVectors(database.db),
    embedder,
    embeddedBy: vectorsOf(embeddings),
    reader,
    client: own,
    userAgent: 'Nestor/0.1',
    clock: systemClock,
    owner: 'test',
    delayMs: 0,
  };
  const engineWith = (
    embedQuery: (text: string, signal: AbortSignal) => Promise<Float32Array>,
    meaningTimeoutMs = 60_000,
  ) =>
    openCorpusEngine({
      corpus: parts.corpus,
      finder: createCandidateFinder(database.db, () => Date.now()),
      embedder: { name: vectorsOf(embeddings), embedQuery },
      meaningTimeoutMs,
      nowMs: () => Date.now(),
      weights: weightsFor(embeddings.rankingWeights),
      guideId: guideSourceId,
    });
  const engine = engineWith(async (text, signal) => {
    const [vector = new Float32Array(1024)] = await embeddings.embed([text], 1024, signal);
    return vector.subarray(0, embeddings.storedDimensions);
  });
  const byWords = {
    failing: engineWith(() => Promise.reject(new Error('down'))),
    silent: engineWith(() => new Promise(() => {}), 1),
  };
  const index: TestIndex = {
    parts,
    async add(kind, location, options = {}) {
      await parts.sources.ensure({
        id: sourceId(location),
        kind,
        location,
        options: JSON.stringify({ ...defaultOptions, ...options }),
        everyMs: null,
        addedAtMs: Date.now(),
      });
      const outcome = await index.refresh(location);
      if (outcome === null) throw new Error('busy');
      return outcome;
    },
    async refresh(location, signal = noSignal, onDone = () => {}) {
      const row = await parts.sources.find(location);
      if (row === undefined) throw new Error(`no source ${location}`);
      return refreshSource(parts, toSource(row), signal, ({ done }) => onDone(done));
    },
    find: (text, filters) => engine.search(queryOf(text, filters), noSignal, ''),
    urls: async (text, filters) => (await index.find(text, filters)).map(({ url }) => url),
    urlsByWords: async (text, engine = 'failing') =>
      (await byWords[engine].search(queryOf(text), noSignal, '')).map(({ url }) => url),
    async put(url, given) {
      const page: Page = {
        url,
        canonicalUrl: url,
        language: null,
        date: null,
        lastUpdated: null,
        links: [],
        images: [],
        siteName: null,
        robots: { index: true, follow: true },
        truncated: false,
        listing: null,
        ...given,
      };
      const id = sourceId('test:put');
      await parts.sources.ensure({
        id,
        kind: 'web',
        location: 'test:put',
        options: '{}',
        everyMs: null,
        addedAtMs: 0,
      });
      const origin = { sourceId: id, url, hash: '', etag: null, lastModified: null, fetchedAtMs: Date.now() };
      const document =
        given === null
          ? await maker.toDocument(page, origin, noSignal)
          : await embedDocument(await maker.split(page, origin, noSignal), embedder, noSignal);
      await parts.corpus.put([document]);
    },
    async tendNearest() {
      if (database.postgres === null) throw new Error('not on PostgreSQL');
      const { storedDimensions: dimensions = dimensionsMax } = embeddings;
      const of = { embeddedBy: vectorsOf(embeddings), dimensions };
      return tendNearest(database.postgres, of, { log: { info: () => {} }, signal: noSignal });
    },
    async sayEmbeddedBy(name) {
      await database.db.updateTable('corpus_documents').set({ embedded_by: name }).execute();
    },
  };
  return index;
}

/** The counts of an outcome that are not 0. */
export function counts(outcome: Outcome): Record<string, number> {
  const numbers = Object.entries(outcome).filter(([, count]) => typeof count === 'number' && count > 0);
  return Object.fromEntries(numbers) as Record<string, number>;
}
