import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature, type Feature, type OpenContext } from '../../kernel/feature.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import { createFailureLog } from '../../kernel/kit/failure-log.ts';
import type { Log } from '../../kernel/kit/log.ts';
import { openOutbound } from '../../kernel/kit/outbound.ts';
import type { Database } from '../../kernel/store/database.ts';
import { vectorsOf, type EmbeddingEngine } from '../embeddings/feature.ts';
import { searchKeys } from './config.ts';
import { openSource, type FinanceDeclaration, type SearchEngineDeclaration } from './define-source.ts';
import { Corpus } from './corpus/corpus.ts';
import { guideSourceId } from './corpus/document.ts';
import { createCandidateFinder } from './corpus/find.ts';
import { createEngineCalls } from './engine-calls.ts';
import { weightsFor } from './engines/corpus/rank.ts';
import { openCorpusEngine, type CorpusEngine } from './engines/corpus/index.ts';
import { searchEngines } from './engines/index.ts';
import { createFileSearch, type FileSearch } from './files.ts';
import { FirstFill } from './first-fill.ts';
import type { Finance } from './finance.ts';
import { financeSources } from './finance/index.ts';
import { openFinance } from './open-finance.ts';
import { openSearch, type SearchOptions } from './open-search.ts';
import type { Likeness } from '../models/feature.ts';
import type { PageReader, SiteReader } from './page.ts';
import type { Embed } from './rank.ts';
import { openPageReader } from './page/open-page-reader.ts';
import type { Search } from './search.ts';
import { searchOperations } from './wire/operation.ts';

export { AskedEngines } from './asked-engines.ts';
export { defineFinanceSource, defineSearchEngine } from './define-source.ts';
export type { AccountLimits, AccountUse } from './corpus/account-limits.ts';
export { type DocumentHead, Corpus } from './corpus/corpus.ts';
export { CorpusVectors, type PassageVector, type StaleDocument } from './corpus/vectors.ts';
export { type NearestState, tendNearest } from './corpus/nearest-index.ts';
export type { NewDocument } from './corpus/document.ts';
export { toIndexWords } from './corpus/words.ts';
export {
  type Filters,
  type Hit,
  type ImageHit,
  type Place,
  type SearchKind,
  type SearchQuery,
  type VideoHit,
  noFilters,
} from './engine.ts';
export type { FileSearch, FoundFile } from './files.ts';
export type { Finance } from './finance.ts';
export { roundRobin } from './fusion.ts';
export {
  type AttachedFile,
  type Page,
  type PageReader,
  type SiteReader,
  failureOfJob,
  PageError,
  readAttached,
} from './page.ts';
export { fileName } from './page/addresses.ts';
export { readRobotsTag, tidyLine, tidyText } from './page/tidy.ts';
export { type TriedEngine, tryEngines } from './try-engines.ts';
export { openPageReader } from './page/open-page-reader.ts';
export { isAllowed } from './page/robots-rules.ts';
export {
  type ContextSize,
  type Found,
  type Search,
  type TextBudget,
  contextBudgets,
  toBudget,
} from './search.ts';
export {
  ImageDomainFilter,
  ImageFormatFilter,
  type SearchFilterFields,
  refuseConflict,
  searchFilterFields,
  toFilters,
  toImageFilters,
  toIsoDate,
} from './wire/filters.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<ReturnType<typeof searchKeys>> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly search: Search;
    /** Some sources of the own index. */
    readonly files: FileSearch;
    /** Null where no source of figures is configured. */
    readonly finance: Finance | null;
    /** What searches of the own index wait for when a server first starts. */
    readonly firstFill: FirstFill;
    /** Reads pages whose addresses callers, results or the index name. */
    readonly pages: SiteReader;
  }
}

/** The web, the own index and sources of figures as one search, and the reader of pages. */
export const searchFeature = (
  engines: readonly SearchEngineDeclaration[],
  finance: readonly FinanceDeclaration[],
): Feature =>
  defineFeature({
    name: 'search',
    config: { keys: searchKeys(engines, finance) },
    needs: ['embeddings', 'likeness'],
    gives: ['search', 'files', 'finance', 'firstFill', 'pages'],
    async open(context) {
      const { client, clock } = context.kernel;
      const pages = await context.keep(openPageReader({ client, clock }));
      return { pages, ...(await openSearchServices(context, pages, engines, finance)) };
    },
    operations: searchOperations,
  });

export const feature = searchFeature(searchEngines, financeSources);

/** The own index as an engine: words from the store, meaning from the embedding engine. */
function openCorpus(
  { db, reader }: Pick<Database, 'db' | 'reader'>,
  embeddings: EmbeddingEngine,
  clock: Clock,
  log: Log,
  meaningTimeoutMs: number,
  firstFill: FirstFill,
): CorpusEngine {
  const nowMs = () => clock.now();
  const onFailure = logFailures(log, clock);
  return openCorpusEngine({
    corpus: new Corpus(db, reader),
    finder: createCandidateFinder(reader, nowMs, onFailure),
    embedder: {
      name: vectorsOf(embeddings),
      async embedQuery(text, signal) {
        const [vector = new Float32Array(1024)] = await embeddings.embed([text], 1024, signal);
        return vector.subarray(0, embeddings.storedDimensions);
      },
    },
    meaningTimeoutMs,
    nowMs,
    weights: weightsFor(embeddings.rankingWeights),
    guideId: guideSourceId,
    guideReady: (signal) => firstFill.wait(signal),
    onFailure,
  });
}

const logFailures = (log: Log, clock: Clock) =>
  createFailureLog((line) => log.warn(line, 'search goes on without a part'), clock);

/**
 * What moves hits forward: vectors of a model that was chosen for embeddings, else the encoder as long as it answers. It
 * would take a minute for whole snippets of as many hits as the words compare in some ms.
 */
function meaningOf(
  embeddings: EmbeddingEngine,
  likeness: Likeness | null,
): Pick<SearchOptions, 'embed' | 'likeness'> {
  const embed: Embed = (texts, signal, account) => embeddings.embed(texts, 1024, signal, account);
  if (embeddings.name === 'encoder') return { likeness };
  return embeddings.name === 'words' ? { likeness, embed } : { embed };
}

/** Facts of large companies, the largest answers of any source, have 10 MB. */
const responseBytesMax = 33_554_432;
const connectionsMax = 32;

/** The engines of the configuration and the corpus as one search, and the sources of figures. */
async function openSearchServices(
  { config, kernel, services: { embeddings, likeness }, keep }: OpenContext<'embeddings' | 'likeness'>,
  pages: PageReader,
  engines: readonly SearchEngineDeclaration[],
  finance: readonly FinanceDeclaration[],
) {
  const { database, clock, log, metrics } = kernel;
  const timeoutMs = config.search.timeoutS * 1_000;
  const outbound = await keep(openOutbound({ responseBytesMax, connectionsMax }));
  const calls = createEngineCalls({
    outbound,
    clock,
    random: Math.random,
    timeoutMs,
    userAgent: config.outbound.userAgent,
  });
  const onFailure = logFailures(log, clock);
  const firstFill = new FirstFill(timeoutMs / 2);
  const corpus = openCorpus(database, embeddings, clock, log, timeoutMs / 2, firstFill);
  const search = await keep(
    openSearch({
      engines: config.search.engines.map((entry) => openSource(engines, entry, { calls, clock })),
      corpus,
      pages,
      ...meaningOf(embeddings, likeness),
      timeoutMs,
      cacheMs: config.search.cacheS * 1_000,
      clock,
      onFailure: (backend, { kind, cause }) =>
        log.warn({ backend, fault: kind, err: cause }, 'search engine failed'),
      onAsked: (engine, outcome) =>
        metrics?.searched(engine, typeof outcome === 'number' ? 'answered' : outcome),
      onPartFailure: onFailure,
    }),
  );
  const figures = openFinance(finance, config.search.finance, { calls, clock }, onFailure);
  return {
    search,
    firstFill,
    files: createFileSearch(corpus, database.reader),
    finance: figures === null ? null : await keep(figures),
  };
}
