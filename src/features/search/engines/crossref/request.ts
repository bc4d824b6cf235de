import type { EngineRequest } from '../../engine-calls.ts';
import type { SearchQuery } from '../../engine.ts';
import { cutWords, publishedRange, toUrl } from '../../wire-query.ts';

const queryCharsMax = 500;
const fields = 'DOI,URL,title,abstract,published,container-title,author';

export function toRequest(
  base: string,
  key: string | null,
  query: SearchQuery,
  nowMs: number,
): EngineRequest {
  const { from, to } = publishedRange(query.filters, nowMs);
  const filter = [
    ...(from === null ? [] : [`from-pub-date:${from}`]),
    ...(to === null ? [] : [`until-pub-date:${to}`]),
  ].join(',');
  const url = toUrl(base, '/works', {
    'query.bibliographic': cutWords(query.text, queryCharsMax),
    rows: query.hitsMax,
    select: fields,
    filter: filter === '' ? null : filter,
  });
  return key === null ? { url } : { url, headers: { 'crossref-plus-api-token': `Bearer ${key}` } };
}
