import type { EngineRequest } from '../../engine-calls.ts';
import type { SearchQuery } from '../../engine.ts';
import { onlyLanguage, recencyWord, toUrl, withSites } from '../../wire-query.ts';

export type SearxngCategory = 'general' | 'images' | 'videos';

/**
 * The words alone. SearXNG reads every word that begins with `!`, `:`, `<` or `?` as an order: to send the searcher to
 * another site, to ask other engines or in another language, to wait longer. A word ends where Python's `\s` says so,
 * which takes some control characters as well.
 */
export function withoutOrders(query: SearchQuery): SearchQuery {
  return { ...query, text: query.text.replaceAll(/(?<=^|[\s\p{Cc}])[!:<?]+/gu, '').trim() };
}

/** An instance has to allow `format=json` in its settings; without it the answer is 403. */
export function toRequest(
  base: string,
  key: string | null,
  query: SearchQuery,
  category: SearxngCategory,
): EngineRequest {
  const { filters, place, safe } = query;
  const language = onlyLanguage(filters);
  const region = language !== null && place?.country !== null && place !== null ? `-${place.country}` : '';
  const url = toUrl(base, '/search', {
    q: withSites(query),
    format: 'json',
    categories: category,
    language: language === null ? 'all' : `${language}${region}`,
    time_range: recencyWord(filters.maxAgeMs, { day: 'day', week: 'week', month: 'month', year: 'year' }),
    safesearch: safe ? 1 : 0,
  });
  return key === null ? { url } : { url, headers: { authorization: `Bearer ${key}` } };
}
