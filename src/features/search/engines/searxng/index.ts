import type { JsonObject } from '../../../../kernel/kit/json.ts';
import type { EngineRequest } from '../../engine-exchange.ts';
import { nullable, secret, url } from '../../../../kernel/config/shape.ts';
import type { SearchQuery } from '../../engine.ts';
import { listAt, textAt } from '../../hits.ts';
import { defineWebEngine, type Access } from '../../web-engine.ts';
import { onlyLanguage, recencyWord, toUrl, withSites } from '../../wire-query.ts';

const request =
  (category: 'general' | 'images' | 'videos') =>
  (query: SearchQuery, { base, key }: Access): EngineRequest | null => {
    const text = withoutCommands(query.text);
    if (text === '') return null;
    const { filters, place, safe } = query;
    const language = onlyLanguage(filters);
    const country = place?.country ?? null;
    const region = country === null ? '' : `-${country}`;
    const url = toUrl(base, '/search', {
      q: withSites({ ...query, text }),
      format: 'json',
      categories: category,
      language: language === null ? 'all' : `${language}${region}`,
      time_range: recencyWord(filters.maxAgeMs, { day: 'day', week: 'week', month: 'month', year: 'year' }),
      safesearch: safe ? 1 : 0,
    });
    return key === null ? { url } : { url, headers: { authorization: `Bearer ${key}` } };
  };

/**
 * An instance of SearXNG, a search engine over others. It has to allow `format=json` in its settings; without it the
 * answer is 403.
 */
export const searxng = defineWebEngine({
  type: 'searxng',
  settings: {
    description: 'A SearXNG instance.',
    keys: {
      url: url('Address of the instance.'),
      key: nullable(secret('Key.'), 'Bearer key where the instance stands behind one; null sends none.'),
    },
  },
  kinds: ['web'],
  search: {
    request: request('general'),
    read: (body) =>
      listAt(body, ['results']).map((result) => ({
        url: textAt(result, 'url'),
        title: textAt(result, 'title'),
        snippet: textAt(result, 'content'),
        date: textAt(result, 'publishedDate'),
      })),
  },
  images: {
    request: request('images'),
    read: (body) =>
      listAt(body, ['results']).map((result) => ({
        imageUrl: textAt(result, 'img_src'),
        originUrl: textAt(result, 'url'),
        title: textAt(result, 'title'),
        ...sizeOf(result),
      })),
  },
  videos: {
    request: request('videos'),
    read: (body) =>
      listAt(body, ['results']).map((result) => ({
        url: textAt(result, 'url'),
        thumbnailUrl: textAt(result, 'thumbnail'),
        duration: textAt(result, 'length'),
      })),
  },
});

/**
 * The words alone. SearXNG reads every word that begins with `!`, `:`, `<` or `?` as a command: to send the searcher to
 * another site, to ask other engines or in another language, to wait longer. A word ends where Python's `\s` says so,
 * which takes some control characters as well.
 */
function withoutCommands(text: string): string {
  return text.replaceAll(/(?<=^|[\s\p{Cc}])[!:<?]+/gu, '').trim();
}

/** Out of `1280x720`, `1280 x 720` or `1280×720`. */
function sizeOf(result: JsonObject): { readonly width: number | null; readonly height: number | null } {
  const found = /^\s*(?<width>\d{1,6})\s*[x×]\s*(?<height>\d{1,6})/i.exec(textAt(result, 'resolution') ?? '');
  const { width, height } = found?.groups ?? {};
  return {
    width: width === undefined ? null : Number(width),
    height: height === undefined ? null : Number(height),
  };
}
