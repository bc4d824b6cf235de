import { CitationIndex } from '../../src/features/agent/citation-index.ts';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import type { SandboxRun, SharedRunner } from '../../src/features/sandbox/runner.ts';
import type { SearchQuery } from '../../src/features/search/engine.ts';
import { PageError, type Page, type PageReader } from '../../src/features/search/page.ts';
import type { Found, Search, TextBudget } from '../../src/features/search/search.ts';
import type { ToolDependencies } from '../../src/features/tools/define-tool.ts';
import type { ToolProgress, ToolRun } from '../../src/features/tools/tool.ts';

export const found = (url: string, over: Partial<Found> = {}): Found => ({
  url,
  title: `Title of ${url}`,
  snippet: 'A snippet.',
  text: `Text of ${url}.`,
  date: null,
  lastUpdated: null,
  language: null,
  ...over,
});

export interface ScriptedSearch extends Search {
  readonly asked: readonly { readonly query: SearchQuery; readonly budget: TextBudget }[];
}

/** Finds what it is told to, by the text of the query. */
export function scriptedSearch(
  answer: (text: string) => readonly Found[] | Promise<readonly Found[]>,
  kinds: readonly SearchQuery['kind'][] = ['web', 'people'],
): ScriptedSearch {
  const asked: { readonly query: SearchQuery; readonly budget: TextBudget }[] = [];
  return {
    asked,
    async find(query, budget, signal, _account, onAsked) {
      asked.push({ query, budget });
      const all = await answer(query.text);
      signal.throwIfAborted();
      onAsked?.('scripted', all.length);
      return all;
    },
    images: () => Promise.resolve([]),
    videos: () => Promise.resolve([]),
    has: (kind) => kinds.includes(kind),
    health: () => 'ok',
  };
}

export const pageOf = (url: string, text: string): Page => ({
  url,
  canonicalUrl: url,
  title: `Title of ${url}`,
  text,
  language: 'en',
  date: '2026-01-31',
  lastUpdated: null,
  links: [],
  images: [],
  siteName: null,
  robots: { index: true, follow: true },
  truncated: false,
  listing: null,
});

/** Reads pages out of a list; all others are not found. */
export function scriptedPages(pages: Readonly<Record<string, string>>): PageReader {
  const read = (url: string) => {
    const text = Object.hasOwn(pages, url) ? pages[url] : undefined;
    if (text === undefined) throw new PageError('status', 'The page answered with status 404.', 404);
    return pageOf(url, text);
  };
  return {
    read: async (url) => read(url),
    extract: async (bytes, _type, url) => pageOf(url, Buffer.from(bytes).toString()),
    extractFile: async (base64) => pageOf('file', Buffer.from(base64, 'base64').toString()),
    close: () => Promise.resolve(),
  };
}

export interface ScriptedRunner extends SharedRunner {
  readonly runs: readonly SandboxRun[];
}

/** Runs nothing; tells what it was given. */
export function scriptedRunner(
  result: Partial<Awaited<ReturnType<SharedRunner['run']>>> = {},
): ScriptedRunner {
  const runs: SandboxRun[] = [];
  return {
    name: 'scripted',
    languages: ['python', 'bash'],
    runs,
    async run(run) {
      runs.push(run);
      return {
        status: 'completed',
        stdout: 'out',
        stderr: '',
        exitCode: 0,
        durationMs: 1,
        files: [],
        gone: [],
        ...result,
      };
    },
    close: () => Promise.resolve(),
  };
}

export function toolDependencies(over: Partial<ToolDependencies> = {}): ToolDependencies {
  return {
    search: scriptedSearch(() => []),
    pages: scriptedPages({}),
    sandbox: null,
    finance: null,
    priceOf: ({ usd }) => usd,
    clock: systemClock,
    ids: randomIds,
    onFailure: () => {},
    ...over,
  };
}

/** One run with everything that its tools tell. */
export function toolRun(
  signal = new AbortController().signal,
): ToolRun & { readonly told: readonly ToolProgress[] } {
  const book = new CitationIndex();
  const told: ToolProgress[] = [];
  return {
    accountId: 'acme',
    cite: (one) => book.cite(one),
    sources: () => book.all(),
    files: new Map(),
    signal,
    report: (progress) => void told.push(progress),
    told,
  };
}
