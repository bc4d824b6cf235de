import { Type, type Static } from 'typebox';
import {
  described,
  intBetween,
  named,
  Nullable,
  numberBetween,
  oneOf,
  Strict,
} from '../../../kernel/kit/schema.ts';
import {
  refuseConflict,
  searchFilterFields,
  toBudget,
  toFilters,
  type ContextSize,
  type Filters,
  type Place,
} from '../../search/feature.ts';
import { Fault } from '../../../kernel/faults.ts';
import { defineTool } from '../define-tool.ts';
import { openSearchTool, searchItem, searchPriceUsd, searchProgress } from '../search-tool.ts';

/** Settings of a request for its web search. Null leaves a budget to the context size. */
export interface WebSearchOptions {
  readonly filters: Filters;
  readonly place: Place | null;
  readonly contextSize: ContextSize;
  readonly resultsMax: number;
  readonly tokensMax: number | null;
  readonly tokensPerPageMax: number | null;
}

const resultsDefault = 10;

/** The rules are in contract 11.2. */
const { search_language_filter: _language, ...requestFilters } = searchFilterFields;

const Location = named(
  'Location',
  Type.Object({
    latitude: numberBetween('latitude', -90, 90),
    longitude: numberBetween('longitude', -180, 180),
    country: Nullable(Type.String({ maxLength: 64 })),
    region: Nullable(Type.String({ maxLength: 128 })),
    city: Nullable(Type.String({ maxLength: 128 })),
  }),
  'Where the user is, for the search.',
);

const fields = described(
  {
    filters: Nullable(Strict(requestFilters)),
    search_type: oneOf('search_type', ['web', 'fast']),
    search_context_size: oneOf('search_context_size', ['low', 'medium', 'high']),
    max_results: intBetween('max_results', 1, 50),
    max_tokens: intBetween('max_tokens', 1, 1_000_000),
    max_tokens_per_page: intBetween('max_tokens_per_page', 1, 1_000_000),
    user_location: Nullable(Location),
  },
  {
    search_context_size: 'Sets both budgets of tokens where neither is sent.',
    max_tokens: 'Text of all results of one search.',
    max_tokens_per_page: 'Text of one result.',
  },
);

/** Searches the web and the own index. */
export const webSearch = defineTool({
  name: 'web_search',
  request: {
    fields,
    toOptions(sent, param): WebSearchOptions {
      checkFilters(sent.filters ?? {}, `${param}.filters`);
      return {
        filters: toFilters(sent.filters ?? {}),
        place: toPlace(sent.user_location ?? null),
        contextSize: sent.search_context_size ?? 'medium',
        resultsMax: sent.max_results ?? resultsDefault,
        tokensMax: sent.max_tokens ?? null,
        tokensPerPageMax: sent.max_tokens_per_page ?? null,
      };
    },
  },
  price: { name: 'search_web', usd: searchPriceUsd },
  cites: true,
  items: { search: searchItem('search_results') },
  progress: searchProgress,
  open(setup) {
    const { filters, place, contextSize, resultsMax, tokensMax, tokensPerPageMax } = setup.options;
    return openSearchTool(setup, {
      description:
        'Searches for pages and gives back passages of them with numbers to cite. Ask several short queries at once ' +
        'when a question has several parts. Use it for facts, for anything recent, and to check what you are not sure of.',
      queriesDescription: 'What to search for, in the words that a good page would have.',
      queryCharsMax: 400,
      what: 'The search',
      itemType: 'search',
      nothingFound: 'The search found nothing.',
      query: { kind: 'web', filters, place, safe: true, hitsMax: resultsMax },
      budget: toBudget(contextSize, tokensMax, tokensPerPageMax),
    });
  },
});

/** Names a filter by its place in the request, where it stands deeper than in a request of the search itself. */
function checkFilters(filters: Parameters<typeof refuseConflict>[0], param: string): void {
  try {
    refuseConflict(filters);
  } catch (error) {
    if (!(error instanceof Fault) || error.param === null) throw error;
    throw new Fault(error.code, error.message, { param: `${param}.${error.param}` });
  }
}

function toPlace(location: Static<typeof Location> | null): Place | null {
  if (location === null) return null;
  const { country, region, city, latitude, longitude } = location;
  return {
    country: /^[A-Za-z]{2}$/.test(country ?? '') ? (country ?? '').toUpperCase() : null,
    region: region ?? null,
    city: city ?? null,
    latitude: latitude ?? null,
    longitude: longitude ?? null,
  };
}
