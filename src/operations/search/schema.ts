import { Type, type Static } from 'typebox';
import { Nullable } from '../../kit/schema.ts';
import { CountryCode, DateFilter, searchFilterFields } from '../search-filters.ts';

export const queriesMax = 5;
export const resultsMax = 20;
export const peopleMax = 50;

const Query = Type.String({ minLength: 1, maxLength: 8_192 });
const Tokens = Type.Integer({ minimum: 1, maximum: 1_000_000 });

const Fields = Type.Object({
  query: Type.Union([Query, Type.Array(Query, { minItems: 1, maxItems: queriesMax })]),
  max_results: Nullable(Type.Integer({ minimum: 1, maximum: peopleMax })),
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
});

export const SearchRequest = Fields;
export type SearchRequest = Static<typeof Fields>;

const closed = { additionalProperties: false } as const;
const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });

const SearchResult = Type.Object(
  {
    title: Type.String(),
    url: Type.String(),
    snippet: Type.String(),
    date: Type.Optional(Day),
    last_updated: Type.Optional(Day),
  },
  closed,
);
export type SearchResult = Static<typeof SearchResult>;

export const SearchResponse = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    results: Type.Array(SearchResult),
    server_time: Type.Optional(Type.String({ format: 'date-time' })),
  },
  closed,
);
export type SearchResponse = Static<typeof SearchResponse>;
