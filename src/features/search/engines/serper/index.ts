import type { EngineRequest } from '../../engine-exchange.ts';
import { keyedService } from '../../define-source.ts';
import type { Filters, SearchQuery } from '../../engine.ts';
import { listAt, numberAt, textAt } from '../../hits.ts';
import { defineWebEngine, type Access } from '../../web-engine.ts';
import { onlyLanguage, publishedRange, recencyWord, toUrl, withSites } from '../../wire-query.ts';

/** The service takes ten or a multiple, and charges twice for more than ten. */
const pageHits = 10;

const request =
  (kind: 'search' | 'images' | 'videos') =>
  (query: SearchQuery, { base, key, nowMs }: Access<string>): EngineRequest => ({
    url: toUrl(base, `/${kind}`, {}),
    headers: { 'x-api-key': key },
    json: JSON.stringify({
      q: withSites(query),
      num: Math.ceil(query.hitsMax / pageHits) * pageHits,
      gl: query.place?.country?.toLowerCase(),
      hl: onlyLanguage(query.filters) ?? undefined,
      tbs: rangeOf(query.filters, nowMs) ?? undefined,
    }),
  });

/** Serper, an interface to the results of Google. It has no switch for safe search. */
export const serper = defineWebEngine({
  type: 'serper',
  settings: keyedService,
  isPaid: true,
  kinds: ['web'],
  publicUrl: 'https://google.serper.dev',
  search: {
    request: request('search'),
    read: (body) =>
      listAt(body, ['organic'], true).map((result) => ({
        url: textAt(result, 'link'),
        title: textAt(result, 'title'),
        snippet: textAt(result, 'snippet'),
        date: textAt(result, 'date'),
      })),
  },
  images: {
    request: request('images'),
    read: (body) =>
      listAt(body, ['images'], true).map((result) => ({
        imageUrl: textAt(result, 'imageUrl'),
        originUrl: textAt(result, 'link'),
        title: textAt(result, 'title'),
        width: numberAt(result, 'imageWidth'),
        height: numberAt(result, 'imageHeight'),
      })),
  },
  videos: {
    request: request('videos'),
    read: (body) =>
      listAt(body, ['videos'], true).map((result) => ({
        url: textAt(result, 'link'),
        thumbnailUrl: textAt(result, 'imageUrl'),
        duration: textAt(result, 'duration'),
      })),
  },
});

/** `qdr:d` for an age, `cdr:1,cd_min:1/31/2024,cd_max:2/28/2024` for days. */
function rangeOf(filters: Filters, nowMs: number): string | null {
  const word = recencyWord(filters.maxAgeMs, { hour: 'h', day: 'd', week: 'w', month: 'm', year: 'y' });
  if (word !== null) return `qdr:${word}`;
  const { from, to } = publishedRange(filters, nowMs);
  if (from === null && to === null) return null;
  const bounds = [
    ...(from === null ? [] : [`cd_min:${american(from)}`]),
    ...(to === null ? [] : [`cd_max:${american(to)}`]),
  ];
  return ['cdr:1', ...bounds].join(',');
}

function american(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return `${Number(month)}/${Number(date)}/${year}`;
}
