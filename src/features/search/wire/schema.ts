import { Type, type Static } from 'typebox';
import { Nullable, Open, Strict } from '../../../kernel/kit/schema.ts';
import { CountryCode, DateFilter, searchFilterFields } from './filters.ts';

const queriesMax = 5;
export const resultsMax = 20;
export const peopleMax = 50;

const Query = Type.String({ minLength: 1, maxLength: 8_192 });
const Tokens = Type.Integer({ minimum: 1, maximum: 1_000_000 });

const fields = {
  query: Type.Union([Query, Type.Array(Query, { minItems: 1, maxItems: queriesMax })]),
  max_results: Nullable(Type.Integer({ minimum: 1 })),
  max_tokens: Nullable(Tokens),
  max_tokens_per_page: Nullable(Tokens),
  search_context_size: Nullable(Type.Enum(['low', 'medium', 'high'])),
  country: Nullable(CountryCode),
  ...searchFilterFields,
  search_after_date: Nullable(DateFilter),
  search_before_date: Nullable(DateFilter),
  search_mode: Nullable(Type.Enum(['web', 'academic', 'sec'])),
  search_type: Nullable(Type.Enum(['web', 'people'])),
  display_server_time: Nullable(Type.Boolean()),
};

const Fields = Open(fields, {
  query: 'Several become one list: the first hit of each, then the second, each address once.',
  max_results: `10 by default, ${resultsMax} at most; ${peopleMax} with \`search_type\` \`people\`.`,
  max_tokens: 'Text of all results. 10000 by default.',
  max_tokens_per_page: 'Text of one result. 4096 by default.',
  search_context_size: 'Sets both budgets where neither is sent. `high` by default.',
  country: 'Engines that know countries prefer its pages. ISO 3166-1, two letters.',
  search_after_date: 'The same as `search_after_date_filter`.',
  search_before_date: 'The same as `search_before_date_filter`.',
  search_mode: '`academic` looks for articles, `sec` for filings. `web` by default.',
  search_type: '`people` looks for persons.',
  display_server_time: 'Adds `server_time`.',
});

export const SearchRequest = Fields;
export type SearchRequest = Static<typeof Fields>;

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });

const SearchResult = Strict(
  {
    title: Type.String(),
    url: Type.String(),
    snippet: Type.String(),
    date: Type.Optional(Day),
    last_updated: Type.Optional(Day),
  },
  {
    snippet: 'Passages of the page that fit the query.',
    date: 'Publication, where it is known.',
    last_updated: 'Last change, where it is known.',
  },
);
export type SearchResult = Static<typeof SearchResult>;

export const SearchResponse = Strict({
  id: Type.String({ format: 'uuid' }),
  results: Type.Array(SearchResult),
  server_time: Type.Optional(Type.String({ format: 'date-time' })),
});
export type SearchResponse = Static<typeof SearchResponse>;
