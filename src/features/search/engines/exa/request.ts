import type { EngineRequest } from '../../engine-calls.ts';
import type { SearchQuery } from '../../engine.ts';
import { cutWords, publishedRange, toUrl } from '../../wire-query.ts';

const queryCharsMax = 2_000;
/** Of each page; more costs more there and is read from the page itself here. */
const textCharsMax = 1_500;

export function toRequest(base: string, key: string, query: SearchQuery, nowMs: number): EngineRequest {
  const { filters, place, safe } = query;
  const { from, to } = publishedRange(filters, nowMs);
  const country = place?.country ?? null;
  const body = {
    query: cutWords(query.text, queryCharsMax),
    type: 'auto',
    numResults: query.hitsMax,
    moderation: safe,
    ...(from === null ? {} : { startPublishedDate: `${from}T00:00:00.000Z` }),
    ...(to === null ? {} : { endPublishedDate: `${to}T23:59:59.999Z` }),
    ...(filters.allowDomains.length === 0 ? {} : { includeDomains: filters.allowDomains }),
    // The service takes one of the two lists.
    ...(filters.denyDomains.length === 0 || filters.allowDomains.length > 0
      ? {}
      : { excludeDomains: filters.denyDomains }),
    ...(country === null ? {} : { userLocation: country }),
    contents: { text: { maxCharacters: textCharsMax } },
  };
  return { url: toUrl(base, '/search', {}), headers: { 'x-api-key': key }, json: JSON.stringify(body) };
}
