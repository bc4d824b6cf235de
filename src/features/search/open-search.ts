import { setImmediate as yieldNow } from 'node:timers/promises';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { CallFailure } from '../../kernel/kit/call-failure.ts';
import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import type { Likeness } from '../models/feature.ts';
import type { Hit, SearchEngine, SearchKind, SearchQuery } from './engine.ts';
import { asksForDates, isAllowedUrl, mayPass, passes } from './filters.ts';
import { fuse, pageKey, withoutCopies } from './fusion.ts';
import { EnginePool, faultOf, type PoolRequest } from './engine-pool.ts';
import { collect } from './open-search-hits.ts';
import { createPages, type ReadPage } from './open-search-pages.ts';
import type { PageReader } from './page.ts';
import type { Embed } from './rank.ts';
import type { OnAsked, Found, Search, TextBudget } from './search.ts';
import { choosePassages, joinPassages, shareTokens, type ChosenPassages } from './snippets.ts';

export interface SearchOptions {
  /** In the order of the configuration, which decides between equals. */
  readonly engines: readonly SearchEngine[];
  /** The own index: asked for every kind, alone where no engine of the kind is configured. */
  readonly corpus: SearchEngine;
  readonly pages: PageReader;
  /** Moves hits that are like the query forward where several engines answered. */
  readonly embed?: Embed;
  /** The same by the encoder of this process, which is asked first. */
  readonly likeness?: Likeness | null;
  /** Longest wait for one engine, and for the pages of one search. Unit: ms. */
  readonly timeoutMs: number;
  /** How long answers and pages are kept; 0 keeps none. Unit: ms. */
  readonly cacheMs: number;
  readonly clock: Clock;
  /** Called for each engine that failed: callers see a failure only when all engines failed. */
  readonly onFailure?: (engine: string, failure: CallFailure) => void;
  /** Called whenever an engine was really asked, for the metrics. */
  readonly onAsked?: OnAsked;
  /** Called for a part that an answer did without: the order by meaning, a page. */
  readonly onPartFailure?: OnFailure;
}

/** Where dates decide, more pages are read than returned, because some will not have a date. */
const readShare = 2;
const readMax = 50;

/** Opens the chain. Engines and corpus are closed with it; the page reader is not. */
export function openSearch(options: SearchOptions): Search & { close(): Promise<void> } {
  const { engines, corpus, embed, likeness = null, timeoutMs, cacheMs, clock } = options;
  const { onFailure = () => {}, onAsked = () => {}, onPartFailure = () => {} } = options;
  const all = [...engines, corpus];
  const pool = new EnginePool({ engines: all, corpus, timeoutMs, cacheMs, clock, onFailure, onAsked });
  const pages = createPages({ reader: options.pages, clock, timeoutMs, cacheMs, onFailure: onPartFailure });
  const enginesOf = (kind: SearchKind) => engines.filter(({ kinds }) => kinds.includes(kind));
  const dependencies = { pool, corpus, likeness, onFailure: onPartFailure, ...(embed && { embed }) };

  const find: Search['find'] = async (query, budget, signal, account, onAsked) => {
    const { filters, hitsMax, kind } = query;
    const { hits, terms, passages } = await collect(enginesOf(kind), query, dependencies, {
      signal,
      account,
      ...(onAsked && { onAsked }),
    });
    const nowMs = clock.now();
    const candidates = toCandidates(hits, query, nowMs);
    // Entries of registers of people say more than the pages behind them, which scripts build.
    const isReadable = ({ url }: Hit) => kind !== 'people' && !passages.has(pageKey(url));
    const urls = candidates.map((hit) => (isReadable(hit) ? hit.url : null));
    const read = await pages.read(urls, signal, account);
    const kept = candidates
      .map((hit, place) => withPage(hit, read[place] ?? null))
      .filter(({ hit }) => passes(hit, filters, nowMs))
      .slice(0, hitsMax)
      .map(({ hit, text }) => ({ hit, text, other: passages.get(pageKey(hit.url)) ?? hit.snippet }));
    return withPassages(kept, terms, budget);
  };

  /** One ranking of pictures or films. */
  const media = async <Item>(
    request: PoolRequest<Item>,
    keyOf: (item: Item) => string,
    signal: AbortSignal,
  ) => {
    const able = enginesOf('web').filter((engine) => engine[request.method] !== undefined);
    if (able.length === 0) return [];
    const { answers, failures } = await pool.ask(able, request, signal);
    if (answers.length === 0) throw faultOf(failures);
    const rankings = answers.map(({ items }) => ({ items, weight: 1 }));
    return fuse(rankings, keyOf, (first) => first);
  };

  return {
    find,
    async images(query, countMax, signal) {
      const request = { method: 'images', query, call: toImages(query) } as const;
      const found = await media(request, ({ imageUrl }) => pageKey(imageUrl), signal);
      return found.filter(({ originUrl }) => isAllowedUrl(originUrl, query.filters)).slice(0, countMax);
    },
    async videos(query, countMax, signal) {
      const request = { method: 'videos', query, call: toVideos(query) } as const;
      const found = await media(request, ({ url }) => pageKey(url), signal);
      return found.filter(({ url }) => isAllowedUrl(url, query.filters)).slice(0, countMax);
    },
    has: (kind) => enginesOf(kind).length > 0,
    health: () => pool.health(),
    async close() {
      pool.close();
      await Promise.all([...engines, corpus].map((engine) => engine.close()));
    },
  };
}

const toImages = (query: SearchQuery) => async (engine: SearchEngine, signal: AbortSignal) =>
  (await engine.images?.(query, signal)) ?? [];

const toVideos = (query: SearchQuery) => async (engine: SearchEngine, signal: AbortSignal) =>
  (await engine.videos?.(query, signal)) ?? [];

/** What may pass the filters, without copies: more than wanted where the pages have to tell their dates. */
function toCandidates(
  hits: readonly Hit[],
  { filters, hitsMax }: SearchQuery,
  nowMs: number,
): readonly Hit[] {
  const passing = hits.filter((hit) => mayPass(hit, filters, nowMs));
  // There a copy may have the date that counts.
  if (asksForDates(filters)) return passing.slice(0, Math.min(readMax, hitsMax * readShare));
  return withoutCopies(passing).slice(0, Math.min(readMax, hitsMax));
}

/** A hit completed by its page where the engine was silent. */
function withPage(hit: Hit, page: ReadPage | null): { readonly hit: Hit; readonly text: string } {
  if (page === null) return { hit, text: '' };
  const isUntitled = hit.title === '' || hit.title === URL.parse(hit.url)?.hostname;
  return {
    hit: {
      ...hit,
      title: isUntitled && page.title !== '' ? page.title : hit.title,
      date: hit.date ?? page.date,
      lastUpdated: hit.lastUpdated ?? page.lastUpdated,
      language: hit.language ?? page.language,
    },
    text: page.text,
  };
}

interface Kept {
  readonly hit: Hit;
  /** Text of the page; empty where it was not read. */
  readonly text: string;
  /** Returned where no passage of the page fits. */
  readonly other: string;
}

/** Hits with their passages. Choosing those of a long page takes milliseconds, so other work runs between two pages. */
async function withPassages(
  kept: readonly Kept[],
  terms: readonly string[],
  { tokensMax, tokensPerPageMax }: TextBudget,
): Promise<readonly Found[]> {
  const chosen: { readonly hit: Hit; readonly passages: ChosenPassages }[] = [];
  for (const { hit, text, other } of kept) {
    if (text !== '') await yieldNow();
    chosen.push({ hit, passages: choosePassages(text, other, terms) });
  }
  const needs = chosen.map(({ passages }) => Math.min(passages.tokens, tokensPerPageMax));
  const shares = shareTokens(needs, tokensMax);
  return chosen.map(({ hit, passages }, place) => ({
    ...hit,
    text: joinPassages(passages, shares[place] ?? 0),
  }));
}
