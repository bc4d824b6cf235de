import { intBetween } from '../../../kernel/kit/schema.ts';
import { contextBudgets, noFilters, type TextBudget } from '../../search/feature.ts';
import { defineTool } from '../define-tool.ts';
import { openSearchTool, searchItem, searchPriceUsd, searchProgress } from '../search-tool.ts';

/** Looks for people by their names and facts about them. */
export const peopleSearch = defineTool({
  name: 'people_search',
  request: {
    fields: {
      max_tokens: intBetween('max_tokens', 1, 1_000_000),
      max_tokens_per_page: intBetween('max_tokens_per_page', 1, 1_000_000),
    },
    toOptions: ({ max_tokens, max_tokens_per_page }): TextBudget => ({
      tokensMax: max_tokens ?? contextBudgets.medium.tokensMax,
      tokensPerPageMax: max_tokens_per_page ?? contextBudgets.medium.tokensPerPageMax,
    }),
  },
  isAvailable: ({ search }) => search.has('people'),
  price: { name: 'search_people', usd: searchPriceUsd },
  cites: true,
  items: { people: searchItem('people_search_results') },
  progress: searchProgress,
  open: (setup) =>
    openSearchTool(setup, {
      description:
        'Looks for people in public registers of authors and persons, by name with, if known, field, institution or ' +
        'place. Gives back entries with numbers to cite.',
      queriesDescription: 'Whom to look for, for example "Ada Lovelace mathematics".',
      queryCharsMax: 200,
      what: 'The search for people',
      itemType: 'people',
      nothingFound: 'Nobody was found.',
      query: { kind: 'people', filters: noFilters, place: null, safe: true, hitsMax: 10 },
      budget: setup.options,
    }),
});
