import type { OnAsked } from './search.ts';
import type { Caller } from '../../kernel/kit/caller.ts';
import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import type { Hit, SearchEngine, SearchQuery } from './engine.ts';
import { isFiltering } from './filters.ts';
import { fuse, mergeHits, pageKey } from './fusion.ts';
import { faultOf, type EnginePool, type PoolRequest } from './engine-pool.ts';
import type { Likeness } from '../models/feature.ts';
import { isAbout, rerank, rerankByEncoder, termsOf, type Embed } from './rank.ts';

interface Collected {
  /** One ranking, not yet filtered. */
  readonly hits: readonly Hit[];
  /** What the query is about. */
  readonly terms: readonly string[];
  /** Passages of the corpus by the key of their page; the page itself is not read. */
  readonly passages: ReadonlyMap<string, string>;
}

interface CollectOptions {
  readonly pool: EnginePool;
  readonly corpus: SearchEngine;
  readonly embed?: Embed;
  /** Asked before `embed`. */
  readonly likeness?: Likeness | null;
  readonly onFailure: OnFailure;
}

const hitsAskedMin = 10;
const hitsAskedMax = 50;
const rerankTimeoutMs = 1_500;

/**
 * Hits of these engines and of the corpus. Without an engine every hit of the corpus counts; beside engines the corpus
 * has to prove that it is about the query, because the last document in it has a first place as well. Throws a Fault when
 * every engine failed and the corpus has nothing.
 */
export async function collect(
  engines: readonly SearchEngine[],
  query: SearchQuery,
  { pool, corpus, embed, likeness = null, onFailure }: CollectOptions,
  { signal, account, onAsked }: Caller & { readonly onAsked?: OnAsked },
): Promise<Collected> {
  const wide = { ...query, hitsMax: hitsAsked(query) };
  const request: PoolRequest<Hit> = {
    method: 'search',
    query: wide,
    call: (engine, within) => engine.search(wide, within, account),
    ...(onAsked && { onAsked }),
  };
  const { answers, failures } = await pool.ask([...engines, corpus], request, signal);
  const terms = termsOf(query.text);
  const others = answers.filter(({ engine }) => engine !== corpus);
  const known = answers.find(({ engine }) => engine === corpus)?.items ?? [];
  const corpusHits = engines.length === 0 ? known : known.filter((hit) => isAbout(hit, terms));
  const isLost = engines.length === 0 ? failures.length > 0 : others.length === 0;
  if (isLost && corpusHits.length === 0) throw faultOf(failures);
  const rankings = [...others.map(({ items }) => items), corpusHits].filter(({ length }) => length > 0);
  const fused = fuse(
    rankings.map((items) => ({ items, weight: 1 })),
    ({ url }) => pageKey(url),
    mergeHits,
  );
  const hits =
    rankings.length > 1
      ? await reranked(query.text, fused, { embed, likeness, onFailure }, { signal, account })
      : fused;
  return { hits, terms, passages: new Map(corpusHits.map((hit) => [pageKey(hit.url), hit.snippet])) };
}

type Meaning = Pick<CollectOptions, 'onFailure'> & {
  readonly embed: Embed | undefined;
  readonly likeness: Likeness | null;
};

async function reranked(
  text: string,
  hits: readonly Hit[],
  { embed, likeness, onFailure }: Meaning,
  { signal, account }: Caller,
): Promise<readonly Hit[]> {
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(rerankTimeoutMs)]);
    const caller = { signal: within, account };
    const ranked = likeness === null ? null : await rerankByEncoder(text, hits, likeness, caller);
    if (ranked !== null) return ranked;
    return embed === undefined ? hits : await rerank(text, hits, embed, caller);
  } catch (error) {
    signal.throwIfAborted();
    // The order of the engines is good enough.
    onFailure('order by meaning', error);
    return hits;
  }
}

/** More than wanted: fusion needs something to compare, and filters take some away. */
function hitsAsked({ hitsMax, filters }: SearchQuery): number {
  const wanted = isFiltering(filters) ? hitsMax * 2 : hitsMax;
  return Math.min(hitsAskedMax, Math.max(hitsAskedMin, wanted));
}
