import type { EngineRequest } from '../../engine-calls.ts';
import type { Filters, SearchQuery } from '../../engine.ts';
import { onlyLanguage, publishedRange, recencyWord, toDay, toUrl, withSites } from '../../wire-query.ts';

const queryCharsMax = 400;

export const braveCounts = { web: 20, images: 100, videos: 50 } as const;
export type BraveKind = keyof typeof braveCounts;

/** Countries that the service knows; any other is refused with 422. */
const countries = new Set(
  'AR AU AT BE BR CA CL DK FI FR DE GR HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE CH TW TR GB US'.split(
    ' ',
  ),
);
const plainLanguages =
  'ar eu bn bg ca hr cs da nl en et fi fr gl de el gu he hi hu is it kn ko lv lt ms ml mr nb pl pa ro ru sr sk sl es sv ta te th tr uk vi';
/** Languages under the names of the service; any other is refused with 422. */
const languages = new Map<string, string>([
  ...plainLanguages.split(' ').map((code) => [code, code] as const),
  ['ja', 'jp'],
  ['zh', 'zh-hans'],
  ['pt', 'pt-br'],
]);

export function toRequest(
  base: string,
  key: string,
  query: SearchQuery,
  kind: BraveKind,
  nowMs: number,
): EngineRequest {
  const { filters, place, safe } = query;
  const country = place?.country ?? null;
  const url = toUrl(base, `/res/v1/${kind}/search`, {
    q: withSites(query, queryCharsMax),
    count: Math.min(braveCounts[kind], kind === 'web' ? query.hitsMax : braveCounts[kind]),
    country: country !== null && countries.has(country) ? country : null,
    search_lang: languages.get(onlyLanguage(filters) ?? '') ?? null,
    safesearch: safe ? (kind === 'images' ? 'strict' : 'moderate') : 'off',
    freshness: kind === 'images' ? null : freshnessOf(filters, nowMs),
    text_decorations: kind === 'web' ? 'false' : null,
    result_filter: kind === 'web' ? 'web' : null,
  });
  return { url, headers: { 'x-subscription-token': key } };
}

function freshnessOf(filters: Filters, nowMs: number): string | null {
  const word = recencyWord(filters.maxAgeMs, { day: 'pd', week: 'pw', month: 'pm', year: 'py' });
  if (word !== null) return word;
  const { from, to } = publishedRange(filters, nowMs);
  return from === null && to === null ? null : `${from ?? '1990-01-01'}to${to ?? toDay(nowMs)}`;
}
