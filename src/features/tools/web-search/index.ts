import { raceSignal } from '../../../kernel/kit/abort.ts';
import type { OnFailure } from '../../../kernel/kit/failure-log.ts';
import { toBudget, type SearchQuery, type Search } from '../../search/feature.ts';
import { Arguments } from '../arguments.ts';
import { roundRobin, toFoundText } from '../found-text.ts';
import { guardedCall } from '../guarded-call.ts';
import { failure } from '../context-block.ts';
import { findSeveral } from '../several.ts';
import type { Tool, WebSearchOptions } from '../tool.ts';

export interface WebSearchParts {
  readonly search: Search;
  /** Unit: USD a call. */
  readonly priceUsd: number;
  readonly kind: SearchQuery['kind'];
  readonly safe: boolean;
  readonly onFailure: OnFailure;
}

const queriesMax = 5;
const queryCharsMax = 400;
const timeoutMs = 30_000;

/** Searches with one query or several at once; what they find is one list. */
export function createWebSearch(options: WebSearchOptions, parts: WebSearchParts): Tool {
  const { search, priceUsd, kind, safe, onFailure } = parts;
  const { filters, place, contextSize, resultsMax, tokensMax, tokensPerPageMax } = options;
  const budget = toBudget(contextSize, tokensMax, tokensPerPageMax);
  return {
    definition: {
      name: 'web_search',
      description:
        'Searches for pages and gives back passages of them with numbers to cite. Ask several short queries at once ' +
        'when a question has several parts. Use it for facts, for anything recent, and to check what you are not sure of.',
      parameters: {
        type: 'object',
        properties: {
          queries: {
            type: 'array',
            items: { type: 'string' },
            minItems: 1,
            maxItems: queriesMax,
            description: 'What to search for, in the words that a good page would have.',
          },
        },
        required: ['queries'],
        additionalProperties: false,
      },
      strict: false,
    },

    async call(args, _callId, run) {
      const read = new Arguments(args);
      const queries = read.texts('queries', queriesMax, queryCharsMax);
      if (read.problem !== null) return failure(read.problem);
      run.report({ type: 'search-queries', queries });
      return guardedCall(run.signal, { timeoutMs, what: 'The search', onFailure }, async (signal) => {
        const share = {
          tokensMax: Math.ceil(budget.tokensMax / queries.length),
          tokensPerPageMax: budget.tokensPerPageMax,
        };
        const { values, note } = await findSeveral(
          queries,
          (text) => {
            const query = { text, kind, filters, place, safe, hitsMax: resultsMax };
            return raceSignal(search.find(query, share, signal, run.accountId), signal);
          },
          onFailure,
        );
        const results = roundRobin(values, resultsMax).map((found) => run.cite(found));
        run.report({ type: 'search-results', results });
        return {
          items: [{ type: 'search', queries, results }],
          text: (results.length === 0 ? 'The search found nothing.' : toFoundText(results)) + note,
          isError: false,
          uses: [{ name: 'search_web', count: 1, costUsd: priceUsd }],
        };
      });
    },
  };
}
