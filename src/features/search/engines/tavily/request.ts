import type { EngineRequest } from '../../engine-calls.ts';
import type { SearchQuery } from '../../engine.ts';
import { cutWords, publishedRange, toUrl } from '../../wire-query.ts';

const queryCharsMax = 400;
const hitsMax = 20;

/** The service takes names, and refuses unknown ones; these are the same there and in CLDR. */
const countries = new Set(
  'AR AU AT BE BR CA CL CN CO DK EG FI FR DE GR HU IN ID IE IL IT JP KE MY MX NL NZ NG NO PK PE PH PL PT RO SA SG ZA KR ES SE CH TH UA AE GB US VN'.split(
    ' ',
  ),
);
const names = new Intl.DisplayNames(['en'], { type: 'region' });

export function toRequest(base: string, key: string, query: SearchQuery, nowMs: number): EngineRequest {
  const { filters, place } = query;
  const { from, to } = publishedRange(filters, nowMs);
  const country = place?.country ?? null;
  const body = {
    query: cutWords(query.text, queryCharsMax),
    search_depth: 'basic',
    max_results: Math.min(query.hitsMax, hitsMax),
    ...(from === null ? {} : { start_date: from }),
    ...(to === null ? {} : { end_date: to }),
    ...(filters.allowDomains.length === 0 ? {} : { include_domains: filters.allowDomains }),
    ...(filters.denyDomains.length === 0 ? {} : { exclude_domains: filters.denyDomains }),
    ...(country !== null && countries.has(country) ? { country: names.of(country)?.toLowerCase() } : {}),
  };
  return {
    url: toUrl(base, '/search', {}),
    headers: { authorization: `Bearer ${key}` },
    json: JSON.stringify(body),
  };
}
