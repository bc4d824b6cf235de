import type { Caller } from '../../kernel/kit/caller.ts';
import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import type { Hit, SearchEngine, SearchQuery } from './engine.ts';
import { isFiltering } from './filters.ts';
import { fuse, mergeHits, pageKey } from './fusion.ts';
import { worstOf, type Asked, type Asking } from './open-search-engines.ts';
import { isAbout, rerank, termsOf, type Embed } from './rank.ts';

export interface Collected {
  /** One ranking, not yet filtered. */
  readonly hits: readonly Hit[];
  /** What the query is about. */
  readonly terms: readonly string[];
  /** Passages of the corpus by the key of their page: all that there is to tell of it. */
  readonly passages: ReadonlyMap<string, string>;
}

export interface CollectParts {
  readonly asking: Asking;
  readonly corpus: SearchEngine;
  readonly embed?: Embed;
  readonly onFailure: OnFailure;
}

const hitsAskedMin = 10;
const hitsAskedMax = 50;
const rerankTimeoutMs = 1_500;

/**
 * Hits of these engines and of the corpus. Without an engine every hit of the corpus counts; beside engines the corpus
 * has to prove that it is about the query, because the last document in it has a first place as well. Throws the fault to
 * tell when every engine failed and the corpus has nothing.
 */
export async function collect(
  engines: readonly SearchEngine[],
  query: SearchQuery,
  { asking, corpus, embed, onFailure }: CollectParts,
  { signal, account }: Caller,
): Promise<Collected> {
  const asked = { ...query, hitsMax: hitsAsked(query) };
  const { answers, failures } = await asking.ask([...engines, corpus], toAsked(asked), signal);
  const terms = termsOf(query.text);
  const others = answers.filter(({ engine }) => engine !== corpus);
  const known = answers.find(({ engine }) => engine === corpus)?.items ?? [];
  const corpusHits = engines.length === 0 ? known : known.filter((hit) => isAbout(hit, terms));
  const isLost = engines.length === 0 ? failures.length > 0 : others.length === 0;
  if (isLost && corpusHits.length === 0) throw worstOf(failures);
  const rankings = [...others.map(({ items }) => items), corpusHits].filter(({ length }) => length > 0);
  const fused = fuse(
    rankings.map((items) => ({ items, weight: 1 })),
    ({ url }) => pageKey(url),
    mergeHits,
  );
  const hits =
    rankings.length > 1 && embed !== undefined
      ? await reranked(query.text, fused, { embed, onFailure }, { signal, account })
      : fused;
  return { hits, terms, passages: new Map(corpusHits.map((hit) => [pageKey(hit.url), hit.snippet])) };
}

async function reranked(
  text: string,
  hits: readonly Hit[],
  { embed, onFailure }: Required<Pick<CollectParts, 'embed' | 'onFailure'>>,
  { signal, account }: Caller,
): Promise<readonly Hit[]> {
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(rerankTimeoutMs)]);
    return await rerank(text, hits, embed, { signal: within, account });
  } catch (error) {
    signal.throwIfAborted();
    // The order of the engines is good enough.
    onFailure('order by meaning', error);
    return hits;
  }
}

/** More than told: fusion needs something to compare, and filters take some away. */
function hitsAsked({ hitsMax, filters }: SearchQuery): number {
  const wanted = isFiltering(filters) ? hitsMax * 2 : hitsMax;
  return Math.min(hitsAskedMax, Math.max(hitsAskedMin, wanted));
}

function toAsked(query: SearchQuery): Asked<Hit> {
  return { method: 'search', query, call: (engine, signal) => engine.search(query, signal) };
}
