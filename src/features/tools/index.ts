import type { Clock } from '../../kernel/kit/clock.ts';
import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import type { Ids } from '../../kernel/kit/ids.ts';
import type { SandboxFile, SharedRunner } from '../sandbox/feature.ts';
import type { SearchKind, Finance, PageReader, Search } from '../search/feature.ts';
import { createFetchUrl, type FetchUrlOptions } from './fetch-url/index.ts';
import { createFinanceSearch } from './finance-search/index.ts';
import { createLoadSkill, type LoadableSkill } from './load-skill/index.ts';
import { createPeopleSearch } from './people-search/index.ts';
import { createSandbox } from './sandbox/index.ts';
import type { Tool, ToolBillingName, WebSearchOptions } from './tool.ts';
import { createWebSearch } from './web-search/index.ts';

/** What tools work with. Null where nothing is configured. */
export interface ToolParts {
  readonly search: Search;
  readonly pages: PageReader;
  readonly sandbox: SharedRunner | null;
  readonly finance: Finance | null;
  /** Unit: USD for each use. */
  readonly priceOf: (name: ToolBillingName) => number;
  readonly clock: Clock;
  readonly ids: Ids;
  /** What a tool could not do, and the model is told in a few words. */
  readonly onFailure: OnFailure;
}

/** A tool as a request wants it. */
export type ToolRequest =
  | {
      readonly type: 'web_search';
      readonly options: WebSearchOptions;
      readonly kind?: SearchKind;
      readonly safe?: boolean;
    }
  | ({ readonly type: 'fetch_url' } & FetchUrlOptions)
  | { readonly type: 'people_search'; readonly tokensMax: number; readonly tokensPerPageMax: number }
  | { readonly type: 'finance_search' }
  | { readonly type: 'sandbox'; readonly skillFiles: readonly SandboxFile[] }
  | { readonly type: 'load_skill'; readonly skills: readonly LoadableSkill[] };

export type ToolName = ToolRequest['type'];

/** Names that callers may use for tools of ours; functions of callers may have none of them. */
export const toolNames = ['web_search', 'fetch_url', 'people_search', 'finance_search', 'sandbox'] as const;

/** Each use, unless the operator set another. Unit: USD. */
export const toolPricesUsd: Readonly<Record<ToolBillingName, number>> = {
  search_web: 0.005,
  search_people: 0.005,
  finance_search: 0.005,
  fetch_url: 0.0005,
  sandbox: 0.03,
};

/** Whether what a tool needs is configured. */
export function isAvailable(name: ToolName, { search, sandbox, finance }: ToolParts): boolean {
  switch (name) {
    case 'people_search':
      return search.has('people');
    case 'finance_search':
      return finance !== null;
    case 'sandbox':
      return sandbox !== null;
    default:
      return true;
  }
}

/** The tools of one run, in the order of the requests. What is not available is left out. */
export function createTools(requests: readonly ToolRequest[], parts: ToolParts): readonly Tool[] {
  return requests.flatMap((request) => createTool(request, parts) ?? []);
}

function createTool(request: ToolRequest, parts: ToolParts): Tool | null {
  const { search, pages, sandbox: runner, finance, priceOf, clock, ids, onFailure } = parts;
  switch (request.type) {
    case 'web_search': {
      const { options, kind = 'web', safe = true } = request;
      return createWebSearch(options, { search, priceUsd: priceOf('search_web'), kind, safe, onFailure });
    }
    case 'fetch_url':
      return createFetchUrl(request, { pages, priceUsd: priceOf('fetch_url'), onFailure });
    case 'people_search':
      return createPeopleSearch(request, { search, priceUsd: priceOf('search_people'), onFailure });
    case 'finance_search':
      return finance === null
        ? null
        : createFinanceSearch({ finance, priceUsd: priceOf('finance_search'), onFailure });
    case 'sandbox': {
      const priceUsd = priceOf('sandbox');
      return runner === null
        ? null
        : createSandbox(request.skillFiles, { runner, priceUsd, clock, ids, onFailure });
    }
    case 'load_skill':
      return request.skills.length === 0 ? null : createLoadSkill(request.skills, onFailure);
  }
}
