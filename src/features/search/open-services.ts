import type { Config } from '../../kernel/config.ts';
import type { EmbeddingEngine } from '../embeddings/feature.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import { createFailureLog } from '../../kernel/kit/failure-log.ts';
import type { Log } from '../../kernel/kit/log.ts';
import { openOutbound } from '../../kernel/kit/outbound.ts';
import { openSource, type FinanceDeclaration, type SearchEngineDeclaration } from './define-source.ts';
import { createEngineCalls } from './engine-calls.ts';
import type { SearchEngine } from './engine.ts';
import { openCorpusEngine } from './engines/corpus/index.ts';
import type { Finance } from './finance.ts';
import { openFinance } from './open-finance.ts';
import { openSearch } from './open-search.ts';
import type { PageReader } from './page.ts';
import type { Search } from './search.ts';
import { createCandidateFinder } from './corpus/find.ts';
import { Corpus } from './corpus/corpus.ts';
import type { Database } from '../../kernel/store/database.ts';
import type { Keep } from '../../kernel/open-kernel.ts';

/** The own index as an engine: words from the store, meaning from the embedding engine. */
export function openCorpus(
  { db, reader }: Pick<Database, 'db' | 'reader'>,
  embeddings: EmbeddingEngine,
  clock: Clock,
  log: Log,
): SearchEngine {
  const nowMs = () => clock.now();
  return openCorpusEngine({
    corpus: new Corpus(db, reader),
    finder: createCandidateFinder(reader, nowMs),
    embedder: {
      name: embeddings.name,
      async embedQuery(text, signal) {
        const [vector] = await embeddings.embed([text], 1024, signal);
        return vector ?? new Float32Array(1024);
      },
    },
    nowMs,
    onFailure: logFailures(log, clock),
  });
}

const logFailures = (log: Log, clock: Clock) =>
  createFailureLog((line) => log.warn(line, 'search goes on without a part'), clock);

interface SearchDependencies {
  /** Those that the configuration may name. */
  readonly engines: readonly SearchEngineDeclaration[];
  readonly finance: readonly FinanceDeclaration[];
  readonly corpus: SearchEngine;
  readonly pages: PageReader;
  readonly embeddings: EmbeddingEngine;
  readonly clock: Clock;
  readonly log: Log;
}

interface OpenedSearch {
  readonly search: Search;
  /** Null where no source of figures is configured. */
  readonly finance: Finance | null;
}

/** Facts of large companies, the largest answers of any source, have 10 MB. */
const responseBytesMax = 33_554_432;
const connectionsMax = 32;

/** The engines of the configuration and the corpus as one search, and the sources of figures. */
export async function openSearchServices(
  config: Config,
  dependencies: SearchDependencies,
  keep: Keep,
): Promise<OpenedSearch> {
  const { timeoutS, cacheS } = config.search;
  const { engines, finance, corpus, pages, embeddings, clock, log } = dependencies;
  const timeoutMs = timeoutS * 1_000;
  const outbound = await keep(openOutbound({ responseBytesMax, connectionsMax }));
  const calls = createEngineCalls({
    outbound,
    clock,
    random: Math.random,
    timeoutMs,
    userAgent: config.outbound.userAgent,
  });
  const onFailure = logFailures(log, clock);
  const search = await keep(
    openSearch({
      engines: config.search.engines.map((entry) => openSource(engines, entry, { calls, clock })),
      corpus,
      pages,
      embed: (texts, signal, account) => embeddings.embed(texts, 1024, signal, account),
      timeoutMs,
      cacheMs: cacheS * 1_000,
      clock,
      onFailure: (backend, { kind, cause }) =>
        log.warn({ backend, fault: kind, err: cause }, 'search engine failed'),
      onPartFailure: onFailure,
    }),
  );
  const figures = openFinance(finance, config.search.finance, { calls, clock }, onFailure);
  return { search, finance: figures === null ? null : await keep(figures) };
}
