import {
  noFilters,
  type Hit,
  type SearchEngine,
  type SearchQuery,
} from '../../src/features/search/engine.ts';
import { createEngineCalls } from '../../src/features/search/engine-calls.ts';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { openOutbound } from '../../src/kernel/kit/outbound.ts';
import { openSearch, type SearchOptions } from '../../src/features/search/open-search.ts';
import { PageError, type Page, type PageReader } from '../../src/features/search/page.ts';
import { createManualClock } from './clock.ts';
import type { TestScope } from './server.ts';

export function query(text: string, more: Partial<SearchQuery> = {}): SearchQuery {
  return { text, kind: 'web', filters: noFilters, place: null, safe: true, hitsMax: 10, ...more };
}

export function hit(url: string, more: Partial<Hit> = {}): Hit {
  return { url, title: url, snippet: '', date: null, lastUpdated: null, language: null, ...more };
}

/** Calls over real connections; closed with the test. */
export function openCalls(t: TestScope, { timeoutMs = 5_000, clock = systemClock } = {}) {
  const outbound = openOutbound({ responseBytesMax: 1_048_576, connectionsMax: 8 });
  t.after(() => outbound.close());
  return createEngineCalls({ outbound, clock, random: () => 0, timeoutMs, userAgent: 'Nestor tests' });
}

/** An engine in memory that answers as it is told, and remembers what it was asked. */
export function memoryEngine(
  name: string,
  search: (query: SearchQuery, signal: AbortSignal) => readonly Hit[] | Promise<readonly Hit[]>,
  more: Partial<SearchEngine> = {},
): SearchEngine & { readonly asked: readonly SearchQuery[] } {
  const asked: SearchQuery[] = [];
  return {
    name,
    kinds: ['web'],
    asked,
    async search(one, signal) {
      asked.push(one);
      return search(one, signal);
    },
    close: () => Promise.resolve(),
    ...more,
  };
}

/** Hits of a SearXNG whose pages nobody can read, whatever network a test runs in. */
export const keaReply = {
  query: 'kea parrot',
  results: [
    {
      url: 'https://wiki.invalid/wiki/Kea?utm_source=searx',
      title: 'Kea - Wiki',
      content: 'The <b>kea</b> is a species of large parrot, endemic to New Zealand.',
      publishedDate: null,
    },
    {
      url: 'https://www.birds.invalid/kea',
      title: 'Kea: New Zealand native birds',
      content: 'Discover the kea, the only alpine parrot.',
      publishedDate: '2024-05-17T00:00:00',
    },
  ],
};

export const emptyCorpus = () => memoryEngine('corpus', () => []);

/** Pages by address; what is not there cannot be read. */
export function pagesOf(texts: Readonly<Record<string, Partial<Page>>>) {
  const read: string[] = [];
  const reader: PageReader = {
    read(url) {
      read.push(url);
      const page = texts[url];
      if (page === undefined)
        return Promise.reject(new PageError('status', 'The address answered with an error.', 404));
      return Promise.resolve({
        url,
        canonicalUrl: url,
        title: '',
        text: '',
        language: null,
        date: null,
        lastUpdated: null,
        links: [],
        images: [],
        siteName: null,
        robots: { index: true, follow: true },
        truncated: false,
        listing: null,
        ...page,
      });
    },
    extract: () => Promise.reject(new Error('not asked for')),
    extractFile: () => Promise.reject(new Error('not asked for')),
    close: () => Promise.resolve(),
  };
  return { reader, read };
}

/** The chain over these engines, with an empty corpus and pages that cannot be read unless told otherwise. */
export function openChain(engines: readonly SearchEngine[], more: Partial<SearchOptions> = {}) {
  const clock = createManualClock(Date.UTC(2026, 10, 20, 12));
  const { reader } = pagesOf({});
  const search = openSearch({
    engines,
    corpus: emptyCorpus(),
    pages: reader,
    timeoutMs: 5_000,
    cacheMs: 600_000,
    clock,
    ...more,
  });
  return { search, clock };
}
