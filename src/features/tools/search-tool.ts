import { Type } from 'typebox';
import { raceSignal } from '../../kernel/kit/abort.ts';
import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import { roundRobin, type SearchQuery, type TextBudget } from '../search/feature.ts';
import { Arguments } from './arguments.ts';
import { attribute, failure, toFoundText } from './context-block.ts';
import { outputItem, reasoningEvent, type OpenedTool, type ToolSetup } from './define-tool.ts';
import { guardedCall } from './guarded-call.ts';
import { parametersOf, textList, type Source, type ToolProgresses } from './tool.ts';

interface SearchOutcome {
  readonly queries: readonly string[];
  readonly results: readonly Source[];
}

declare module './tool.ts' {
  interface ToolItems {
    readonly search: SearchOutcome;
    readonly people: SearchOutcome;
  }

  interface ToolProgresses {
    readonly 'search-queries': Pick<SearchOutcome, 'queries'>;
    readonly 'search-results': Pick<SearchOutcome, 'results'>;
  }
}

/** The price of a search. Unit: USD. */
export const searchPriceUsd = 0.005;
const queriesMax = 5;
const timeoutMs = 30_000;

interface SearchToolOptions {
  readonly description: string;
  readonly queriesDescription: string;
  readonly queryCharsMax: number;
  /** The search as the model reads of it when it fails. */
  readonly what: string;
  readonly itemType: 'search' | 'people';
  readonly nothingFound: string;
  readonly query: Omit<SearchQuery, 'text'>;
  /** Of all queries of a call together. */
  readonly budget: TextBudget;
}

/** A tool that searches with one query or several at once; their results are one list. */
export function openSearchTool(
  { search, charge, onFailure }: ToolSetup<unknown>,
  options: SearchToolOptions,
): OpenedTool {
  const { description, queriesDescription, queryCharsMax, what, itemType, nothingFound, query } = options;
  return {
    description,
    parameters: parametersOf({ queries: textList(queriesMax, queriesDescription) }),
    async run(args, _callId, run) {
      const read = new Arguments(args);
      const queries = read.texts('queries', queriesMax, queryCharsMax);
      if (read.problem !== null) return failure(read.problem);
      run.report({ type: 'search-queries', queries });
      return guardedCall(run.signal, { timeoutMs, what, onFailure }, async (signal) => {
        const tokensMax = Math.ceil(options.budget.tokensMax / queries.length);
        const budget = { ...options.budget, tokensMax };
        const { values, note } = await findSeveral(
          queries,
          (text) => raceSignal(search.find({ ...query, text }, budget, signal, run.accountId), signal),
          onFailure,
        );
        const results = roundRobin(values, query.hitsMax).map((found) => run.cite(found));
        run.report({ type: 'search-results', results });
        return {
          items: [{ type: itemType, queries, results }],
          text: (results.length === 0 ? nothingFound : toFoundText(results)) + note,
          isError: false,
          uses: charge(1),
        };
      });
    },
  };
}

/**
 * Asks for each query at the same time. One that fails costs its own results and no others; when all fail the first
 * reason is thrown. `note` names those that failed to the model, and is empty when none did.
 */
async function findSeveral<Value>(
  queries: readonly string[],
  find: (query: string) => Promise<Value>,
  onFailure: OnFailure,
): Promise<{ readonly values: readonly Value[]; readonly note: string }> {
  const outcomes = await Promise.allSettled(queries.map(find));
  const failed = outcomes.flatMap((outcome, at) =>
    outcome.status === 'rejected' ? [{ query: queries[at] ?? '', reason: outcome.reason as unknown }] : [],
  );
  const [first] = failed;
  if (first !== undefined && failed.length === queries.length) throw first.reason;
  for (const { reason } of failed) onFailure('query', reason);
  const names = failed.map(({ query }) => `"${attribute(query)}"`).join(', ');
  return {
    values: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    note: failed.length === 0 ? '' : `\n\nThese queries failed and have no results here: ${names}.`,
  };
}

const SearchResult = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  url: Type.String(),
  title: Type.String(),
  snippet: Type.String(),
  source: Type.Literal('web'),
  date: Type.Optional(Type.String()),
  last_updated: Type.Optional(Type.String()),
});

/** A search result on the wire. What is not known is absent. Contract 7.5. */
function toSearchResult({ id, url, title, snippet, date, lastUpdated }: Source) {
  return {
    id,
    url,
    title,
    snippet,
    source: 'web' as const,
    ...(date === null ? {} : { date }),
    ...(lastUpdated === null ? {} : { last_updated: lastUpdated }),
  };
}

/** The output item of a search. */
export function searchItem(type: string) {
  return outputItem<SearchOutcome>(
    type,
    { queries: Type.Array(Type.String()), results: Type.Array(SearchResult) },
    ({ queries, results }) => ({ queries, results: results.map(toSearchResult) }),
  );
}

/** The events of a search while it runs. */
export const searchProgress = {
  'search-queries': reasoningEvent<ToolProgresses['search-queries']>('search_queries', ({ queries }) => ({
    queries,
  })),
  'search-results': reasoningEvent<ToolProgresses['search-results']>('search_results', ({ results }) => ({
    results: results.map(toSearchResult),
  })),
};
