import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature, type Feature } from '../../kernel/feature.ts';
import { searchKeys } from './config.ts';
import type { FinanceDeclaration, SearchEngineDeclaration } from './define-source.ts';
import { searchEngines } from './engines/index.ts';
import type { Finance } from './finance.ts';
import { financeSources } from './finance/index.ts';
import { openCorpus, openSearchServices } from './open-services.ts';
import type { SiteReader } from './page.ts';
import { openPageReader } from './page/open-page-reader.ts';
import type { Search } from './search.ts';
import { searchOperations } from './wire/operation.ts';

export { defineFinanceSource, defineSearchEngine } from './define-source.ts';
export { type ContextSize, contextBudgets, toBudget } from './budgets.ts';
export { type DocumentHead, Corpus } from './corpus/corpus.ts';
export type { NewDocument } from './corpus/document.ts';
export { passagesPerDocument } from './corpus/candidates.ts';
export { toIndexWords } from './corpus/words.ts';
export {
  type Filters,
  type ImageHit,
  type Place,
  type SearchKind,
  type SearchQuery,
  type VideoHit,
  noFilters,
} from './engine.ts';
export type { Finance } from './finance.ts';
export { failureOfJob, type Page, PageError, type PageReader, type SiteReader } from './page.ts';
export { readRobotsTag } from './page/tidy.ts';
export { openPageReader } from './page/open-page-reader.ts';
export { isAllowed } from './page/robots-rules.ts';
export type { Found, Search, TextBudget } from './search.ts';
export {
  ImageDomainFilter,
  ImageFormatFilter,
  type SearchFilterFields,
  refuseConflict,
  searchFilterFields,
  toFilters,
  toImageFilters,
} from './wire/filters.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<ReturnType<typeof searchKeys>> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly search: Search;
    /** Null where no source of figures is configured. */
    readonly finance: Finance | null;
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
    needs: ['embeddings'],
    gives: ['search', 'finance', 'pages'],
    async open({ config, kernel, services: { embeddings }, keep }) {
      const { database, client, clock, log } = kernel;
      const pages = await keep(openPageReader({ client, clock }));
      const corpus = openCorpus(database, embeddings, clock, log);
      return {
        pages,
        ...(await openSearchServices(
          config,
          { engines, finance, corpus, pages, embeddings, clock, log },
          keep,
        )),
      };
    },
    operations: searchOperations,
  });

export const feature = searchFeature(searchEngines, financeSources);
