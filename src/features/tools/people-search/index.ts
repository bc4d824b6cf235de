import { raceSignal } from '../../../kernel/kit/abort.ts';
import type { OnFailure } from '../../../kernel/kit/failure-log.ts';
import { noFilters, type Search, type TextBudget } from '../../search/feature.ts';
import { Arguments } from '../arguments.ts';
import { roundRobin, toFoundText } from '../found-text.ts';
import { guardedCall } from '../guarded-call.ts';
import { failure } from '../context-block.ts';
import { findSeveral } from '../several.ts';
import type { Tool } from '../tool.ts';

export interface PeopleSearchParts {
  readonly search: Search;
  readonly priceUsd: number;
  readonly onFailure: OnFailure;
}

const queriesMax = 5;
const queryCharsMax = 200;
const hitsMax = 10;
const timeoutMs = 30_000;

/** Looks for people by name and what is known of them. */
export function createPeopleSearch(budget: TextBudget, parts: PeopleSearchParts): Tool {
  const { search, priceUsd, onFailure } = parts;
  return {
    definition: {
      name: 'people_search',
      description:
        'Looks for people in public registers of authors and persons, by name with, if known, field, institution or ' +
        'place. Gives back entries with numbers to cite.',
      parameters: {
        type: 'object',
        properties: {
          queries: {
            type: 'array',
            items: { type: 'string' },
            minItems: 1,
            maxItems: queriesMax,
            description: 'Whom to look for, for example "Ada Lovelace mathematics".',
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
      return guardedCall(
        run.signal,
        { timeoutMs, what: 'The search for people', onFailure },
        async (signal) => {
          const query = { kind: 'people', filters: noFilters, place: null, safe: true, hitsMax } as const;
          const { values, note } = await findSeveral(
            queries,
            (text) => raceSignal(search.find({ ...query, text }, budget, signal, run.accountId), signal),
            onFailure,
          );
          const results = roundRobin(values, hitsMax).map((found) => run.cite(found));
          run.report({ type: 'search-results', results });
          return {
            items: [{ type: 'people', queries, results }],
            text: (results.length === 0 ? 'Nobody was found.' : toFoundText(results)) + note,
            isError: false,
            uses: [{ name: 'search_people', count: 1, costUsd: priceUsd }],
          };
        },
      );
    },
  };
}
