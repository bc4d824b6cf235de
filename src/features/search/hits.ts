import { isJsonObject, type Json, type JsonObject } from '../../kernel/kit/json.ts';
import type { Hit, ImageHit, VideoHit } from './engine.ts';
import { ResponseError } from './engine-exchange.ts';
import { toAddress } from './page/addresses.ts';
import { toPageDate } from './page/dates.ts';
import { tidyLine, toLanguage } from './page/tidy.ts';

const titleCharsMax = 500;
const snippetCharsMax = 4_000;
const namesMax = 5;
/** Limit before markup is taken out: a backend may send texts of any length. */
const rawCharsMax = 20_000;

/** A hit as an engine sent it. Null and empty are the same. */
export interface RawHit {
  readonly url: string | null;
  readonly title: string | null;
  /** Markup and entities are taken out. */
  readonly snippet: string | null;
  readonly date?: string | null;
  readonly lastUpdated?: string | null;
  readonly language?: string | null;
}

/** Hits out of raw ones; what has no address that can be opened is left out. Relative dates ("2 days ago") are none. */
export function toHits(raw: readonly RawHit[], nowMs: number): readonly Hit[] {
  return raw.flatMap((hit) => {
    const url = toAddress(hit.url, '');
    if (url === null) return [];
    const title = tidyLine(toPlainText((hit.title ?? '').slice(0, rawCharsMax)), titleCharsMax);
    return [
      {
        url,
        title: title === '' ? new URL(url).hostname : title,
        snippet: tidyLine(toPlainText((hit.snippet ?? '').slice(0, rawCharsMax)), snippetCharsMax),
        date: toPageDate(hit.date, nowMs),
        lastUpdated: toPageDate(hit.lastUpdated, nowMs),
        language: toLanguage(hit.language ?? ''),
      },
    ];
  });
}

/** A picture as an engine sent it; one without an address, a page or a size cannot be laid out and is left out. */
export interface RawImage {
  readonly imageUrl: string | null;
  readonly originUrl: string | null;
  readonly title: string | null;
  readonly width: number | null;
  readonly height: number | null;
}

export function toImages(raw: readonly RawImage[]): readonly ImageHit[] {
  return raw.flatMap(({ title, width, height, ...addresses }) => {
    const imageUrl = toAddress(addresses.imageUrl, '');
    const originUrl = toAddress(addresses.originUrl, '');
    if (imageUrl === null || originUrl === null || width === null || height === null) return [];
    return [{ imageUrl, originUrl, title: toPlainText(title ?? ''), width, height }];
  });
}

export interface RawVideo {
  readonly url: string | null;
  readonly thumbnailUrl: string | null;
  readonly thumbnailWidth?: number | null;
  readonly thumbnailHeight?: number | null;
  /** As `12:34` or `1:02:03`. */
  readonly duration: string | null;
}

export function toVideos(raw: readonly RawVideo[]): readonly VideoHit[] {
  return raw.flatMap(({ thumbnailWidth = null, thumbnailHeight = null, ...video }) => {
    const url = toAddress(video.url, '');
    const thumbnailUrl = toAddress(video.thumbnailUrl, '');
    return url === null
      ? []
      : [{ url, thumbnailUrl, thumbnailWidth, thumbnailHeight, duration: toSeconds(video.duration) }];
  });
}

/** Names of people or things, the first five of many. */
export function listNames(names: readonly string[]): string {
  return names.length > namesMax ? `${names.slice(0, namesMax).join(', ')} and others` : names.join(', ');
}

/** Texts that are there, as sentences. */
export function joinFacts(facts: readonly (string | null | undefined)[]): string {
  return facts.filter((fact) => fact !== null && fact !== undefined && fact !== '').join('. ');
}

/** The list at the end of a path of names. Throws ResponseError where an answer has none, unless it may be absent. */
export function listAt(body: Json, path: readonly string[], mayBeAbsent = false): readonly JsonObject[] {
  let value: Json | undefined = body;
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  if (Array.isArray(value)) return (value as readonly Json[]).filter(isJsonObject);
  if (mayBeAbsent && isJsonObject(body) && (value === undefined || value === null)) return [];
  throw new ResponseError('the answer has no list of results');
}

export function textAt(object: JsonObject | null, name: string): string | null {
  const value = object?.[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

export function numberAt(object: JsonObject | null, name: string): number | null {
  const value = object?.[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function objectAt(object: JsonObject | null, name: string): JsonObject | null {
  const value = object?.[name];
  return isJsonObject(value) ? value : null;
}

/** The texts of a list, or the only one where no list stands. */
export function textsAt(object: JsonObject | null, name: string): readonly string[] {
  const value = object?.[name];
  const list: readonly Json[] = Array.isArray(value) ? (value as readonly Json[]) : [value ?? null];
  return list.filter((item) => typeof item === 'string' && item !== '') as readonly string[];
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  middot: '·',
  rsquo: '’',
  lsquo: '‘',
  ldquo: '“',
  rdquo: '”',
};

/** Text without the tags and entities that engines put into titles and snippets. */
export function toPlainText(markup: string): string {
  return markup
    .replaceAll(/<\/?[a-z][^<>]{0,200}>/gi, (tag) =>
      /^<\/?(?:b|strong|em|i|span|sub|sup|mark)\b/i.test(tag) ? '' : ' ',
    )
    .replaceAll(
      /&(?:#(?<decimal>\d{1,7})|#x(?<hex>[0-9a-f]{1,6})|(?<name>[a-z]{2,8}));/gi,
      (whole, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
        if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
        const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
        return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
      },
    );
}

/** `12:34` or `1:02:03` in seconds; null for anything else. */
function toSeconds(text: string | null): number | null {
  if (text === null || !/^\d{1,3}(?::\d{2}){1,2}$/.test(text)) return null;
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}
