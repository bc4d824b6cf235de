import { withoutEndSlashes } from '../../kernel/kit/text.ts';
import type { Hit } from './engine.ts';
import { canonicalAddress } from './page/addresses.ts';

export interface Ranking<Item> {
  /** Best first. */
  readonly items: readonly Item[];
  readonly weight: number;
}

/** The usual constant of reciprocal rank fusion: first places count, but one list alone does not decide. */
const rankOffset = 60;

/**
 * One ranking out of several, by reciprocal rank fusion: an item's score is the sum of weight / (60 + place) over the
 * lists that hold it. Items with the same key are merged in the order of the lists. Equal scores keep that order.
 */
export function fuse<Item>(
  rankings: readonly Ranking<Item>[],
  keyOf: (item: Item) => string,
  merge: (first: Item, other: Item) => Item,
): readonly Item[] {
  const fused = new Map<string, { item: Item; score: number }>();
  for (const { items, weight } of rankings) {
    const seen = new Set<string>();
    for (const item of items) {
      const key = keyOf(item);
      // The same page twice in one list is one place, the better one.
      if (seen.has(key)) continue;
      seen.add(key);
      const score = weight / (rankOffset + seen.size);
      const known = fused.get(key);
      fused.set(
        key,
        known === undefined ? { item, score } : { item: merge(known.item, item), score: known.score + score },
      );
    }
  }
  return [...fused.values()].toSorted((a, b) => b.score - a.score).map(({ item }) => item);
}

/** Key of a page, the same for all its addresses: without scheme, `www.`, trailing slash, fragment and tracking. */
export function pageKey(address: string): string {
  const url = URL.parse(canonicalAddress(null, address));
  if (url === null) return address;
  url.searchParams.sort();
  const path = withoutEndSlashes(url.pathname).replace(/\/index\.html?$/, '');
  return `${url.host.replace(/^www\./, '')}${path}${url.search}`;
}

/** One hit of two engines: that of the first, completed by the other. */
export function mergeHits(first: Hit, other: Hit): Hit {
  return {
    ...first,
    // http and https of one page: the safer one stays.
    url: first.url.startsWith('http:') && other.url.startsWith('https:') ? other.url : first.url,
    snippet: first.snippet === '' ? other.snippet : first.snippet,
    date: first.date ?? other.date,
    lastUpdated: first.lastUpdated ?? other.lastUpdated,
    language: first.language ?? other.language,
  };
}

/** Several rankings as one: the first of each, then the second, each address once. */
export function roundRobin<Item extends { readonly url: string }>(
  rankings: readonly (readonly Item[])[],
  countMax: number,
): readonly Item[] {
  const taken = new Map<string, Item>();
  const longest = Math.max(0, ...rankings.map(({ length }) => length));
  for (let place = 0; place < longest; place++) {
    for (const ranking of rankings) {
      const item = ranking[place];
      if (item !== undefined && !taken.has(item.url)) taken.set(item.url, item);
      if (taken.size >= countMax) return [...taken.values()];
    }
  }
  return [...taken.values()];
}

/** Shorter extracts may be the same by chance, or are notes that pages share. Unit: characters. */
const copiedCharsMin = 120;
const comparedCharsMax = 600;

/**
 * Hits without copies of a page on other hosts, the best one kept: the same title and the same text. Pages of one host may
 * share a description and differ.
 */
export function withoutCopies(hits: readonly Hit[]): readonly Hit[] {
  const hosts = new Map<string, string>();
  return hits.filter(({ url, title, snippet }) => {
    const text = fold(snippet);
    if (text.length < copiedCharsMin) return true;
    const key = `${fold(title)}\n${text.slice(0, comparedCharsMax)}`;
    const host = URL.parse(url)?.host ?? '';
    const known = hosts.get(key);
    if (known === undefined) hosts.set(key, host);
    return known === undefined || known === host;
  });
}

/** Letters and digits, by which engines do not differ in how they cut and mark a text. */
const fold = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
