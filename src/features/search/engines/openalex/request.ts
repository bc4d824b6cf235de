import type { EngineRequest } from '../../engine-calls.ts';
import type { SearchQuery } from '../../engine.ts';
import { cutWords, publishedRange, toUrl } from '../../wire-query.ts';

const queryCharsMax = 500;
const workFields =
  'id,doi,display_name,publication_date,language,primary_location,authorships,abstract_inverted_index';
const authorFields = 'id,orcid,display_name,works_count,cited_by_count,last_known_institutions,topics';

export function toWorksRequest(
  base: string,
  key: string | null,
  query: SearchQuery,
  nowMs: number,
): EngineRequest {
  const { filters } = query;
  const { from, to } = publishedRange(filters, nowMs);
  const filter = [
    ...(from === null ? [] : [`from_publication_date:${from}`]),
    ...(to === null ? [] : [`to_publication_date:${to}`]),
    ...(filters.languages.length === 0 ? [] : [`language:${filters.languages.join('|')}`]),
  ].join(',');
  const url = toUrl(base, '/works', {
    search: cutWords(query.text, queryCharsMax),
    filter: filter === '' ? null : filter,
    'per-page': query.hitsMax,
    select: workFields,
    api_key: key,
  });
  return { url };
}

export function toAuthorsRequest(base: string, key: string | null, query: SearchQuery): EngineRequest {
  const url = toUrl(base, '/authors', {
    search: cutWords(query.text, queryCharsMax),
    'per-page': query.hitsMax,
    select: authorFields,
    api_key: key,
  });
  return { url };
}
