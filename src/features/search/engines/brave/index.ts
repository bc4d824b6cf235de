import type { EngineRequest } from '../../engine-exchange.ts';
import { keyedService } from '../../define-source.ts';
import type { Filters, SearchQuery } from '../../engine.ts';
import { listAt, numberAt, objectAt, textAt, textsAt } from '../../hits.ts';
import { defineWebEngine, type Access } from '../../web-engine.ts';
import { onlyLanguage, publishedRange, recencyWord, toDay, toUrl, withSites } from '../../wire-query.ts';

const queryCharsMax = 400;
const counts = { web: 20, images: 100, videos: 50 } as const;

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

const request =
  (kind: keyof typeof counts) =>
  (query: SearchQuery, { base, key, nowMs }: Access<string>): EngineRequest => {
    const { filters, place, safe, hitsMax } = query;
    const country = place?.country ?? '';
    const url = toUrl(base, `/res/v1/${kind}/search`, {
      q: withSites(query, queryCharsMax),
      count: kind === 'web' ? Math.min(counts.web, hitsMax) : counts[kind],
      country: countries.has(country) ? country : null,
      search_lang: languages.get(onlyLanguage(filters) ?? '') ?? null,
      safesearch: safe ? (kind === 'images' ? 'strict' : 'moderate') : 'off',
      freshness: kind === 'images' ? null : freshnessOf(filters, nowMs),
      text_decorations: kind === 'web' ? 'false' : null,
      result_filter: kind === 'web' ? 'web' : null,
    });
    return { url, headers: { 'x-subscription-token': key } };
  };

/** The Brave Search API. */
export const brave = defineWebEngine({
  type: 'brave',
  settings: keyedService,
  isPaid: true,
  kinds: ['web'],
  publicUrl: 'https://api.search.brave.com',
  search: {
    request: request('web'),
    // Without any hit the answer has no `web` at all.
    read: (body) =>
      listAt(body, ['web', 'results'], true).map((result) => ({
        url: textAt(result, 'url'),
        title: textAt(result, 'title'),
        snippet: [textAt(result, 'description') ?? '', ...textsAt(result, 'extra_snippets')].join(' '),
        // `age` may be relative, `page_age` never is.
        date: textAt(result, 'page_age') ?? textAt(result, 'age'),
        language: textAt(result, 'language'),
      })),
  },
  images: {
    request: request('images'),
    read: (body) =>
      listAt(body, ['results'], true).map((result) => {
        const properties = objectAt(result, 'properties');
        return {
          imageUrl: textAt(properties, 'url'),
          originUrl: textAt(result, 'url'),
          title: textAt(result, 'title'),
          width: numberAt(properties, 'width'),
          height: numberAt(properties, 'height'),
        };
      }),
  },
  videos: {
    request: request('videos'),
    read: (body) =>
      listAt(body, ['results'], true).map((result) => {
        const thumbnail = objectAt(result, 'thumbnail');
        return {
          url: textAt(result, 'url'),
          thumbnailUrl: textAt(thumbnail, 'original') ?? textAt(thumbnail, 'src'),
          thumbnailWidth: numberAt(thumbnail, 'width'),
          thumbnailHeight: numberAt(thumbnail, 'height'),
          duration: textAt(objectAt(result, 'video'), 'duration'),
        };
      }),
  },
});

function freshnessOf(filters: Filters, nowMs: number): string | null {
  const word = recencyWord(filters.maxAgeMs, { day: 'pd', week: 'pw', month: 'pm', year: 'py' });
  if (word !== null) return word;
  const { from, to } = publishedRange(filters, nowMs);
  return from === null && to === null ? null : `${from ?? '1990-01-01'}to${to ?? toDay(nowMs)}`;
}
