import { withoutEndSlashes } from '../../kernel/kit/text.ts';
import type { Filters, SearchQuery } from './engine.ts';

const dayMs = 86_400_000;

/** Engines accept few operators of this kind in one query; more domains are left to the filters applied afterwards. */
const sitesMax = 8;

/** The query with `site:` operators for engines that know domains only so. */
export function withSites(
  { text, filters: { allowDomains, denyDomains } }: SearchQuery,
  charsMax = 2_000,
): string {
  const allowed = allowDomains
    .slice(0, sitesMax)
    .map((domain) => `site:${domain}`)
    .join(' OR ');
  // Some of many allowed domains would hide the others.
  const allow = allowDomains.length > sitesMax ? '' : allowed;
  const deny = denyDomains
    .slice(0, sitesMax)
    .map((domain) => `-site:${domain}`)
    .join(' ');
  const operators = [allow, deny].filter((part) => part !== '').join(' ');
  const room = charsMax - operators.length - 1;
  if (operators === '' || room < 20) return cutWords(text, charsMax);
  return `${cutWords(text, room)} ${operators}`;
}

/** A query of several lines as one, cut at a word. */
export function cutWords(text: string, charsMax: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= charsMax) return line;
  const cut = line.slice(0, charsMax + 1);
  const end = cut.lastIndexOf(' ');
  return (end > charsMax / 2 ? cut.slice(0, end) : line.slice(0, charsMax)).toWellFormed();
}

/** Publication dates of a query as days, the age included; null where there is no bound. */
export function publishedRange(
  { publishedAfter, publishedBefore, maxAgeMs }: Filters,
  nowMs: number,
): { readonly from: string | null; readonly to: string | null } {
  const young = maxAgeMs === null ? null : toDay(nowMs - maxAgeMs);
  const froms = [publishedAfter, young].filter((day) => day !== null).toSorted();
  return { from: froms.at(-1) ?? null, to: publishedBefore };
}

export function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The shortest word of an engine that covers an age; null where none does. */
export function recencyWord<Word>(
  maxAgeMs: number | null,
  words: {
    readonly hour?: Word;
    readonly day: Word;
    readonly week: Word;
    readonly month: Word;
    readonly year: Word;
  },
): Word | null {
  if (maxAgeMs === null) return null;
  if (maxAgeMs <= dayMs / 24 && words.hour !== undefined) return words.hour;
  if (maxAgeMs <= dayMs) return words.day;
  if (maxAgeMs <= 7 * dayMs) return words.week;
  if (maxAgeMs <= 31 * dayMs) return words.month;
  return maxAgeMs <= 366 * dayMs ? words.year : null;
}

/** An address with parameters; what is null is left out. */
export function toUrl(
  base: string,
  path: string,
  parameters: Readonly<Record<string, string | number | null>>,
): string {
  const url = new URL(`${withoutEndSlashes(base)}${path}`);
  for (const [name, value] of Object.entries(parameters))
    if (value !== null) url.searchParams.set(name, String(value));
  return url.href;
}

/** The only language asked for; several are filtered afterwards. */
export function onlyLanguage({ languages }: Filters): string | null {
  return languages.length === 1 ? (languages[0] ?? null) : null;
}

/** A list of domains for a field of a body; undefined leaves the field out. */
export function notEmpty<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** `name:value,name:value` without what is null; null for nothing at all. */
export function joinFilters(filters: Readonly<Record<string, string | null>>): string | null {
  const set = Object.entries(filters).filter(([, value]) => value !== null);
  return set.length === 0 ? null : set.map(([name, value]) => `${name}:${value}`).join(',');
}
