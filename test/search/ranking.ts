import assert from 'node:assert/strict';
import type { IndexingContext } from '../../src/features/index/context.ts';
import { sourceId } from '../../src/features/index/source.ts';
import type { TestScope } from '../support/server.ts';
import { openTestIndex } from './index-support.ts';

/** How well a ranking finds what it should. */
export interface RankingMeasures {
  /** Share of queries whose answer is first. */
  readonly hit1: number;
  /** Among the first five. */
  readonly hit5: number;
  /** Mean of one over the place; 0 where it is not found. */
  readonly mrr: number;
}

/** Any of the answers of a query will do. */
export async function measureRanking(
  pairs: readonly (readonly [query: string, ...answers: string[]])[],
  find: (query: string) => Promise<readonly string[]>,
): Promise<RankingMeasures> {
  const places: number[] = [];
  for (const [query, ...answers] of pairs)
    places.push((await find(query)).findIndex((one) => answers.includes(one)) + 1);
  const share = (isHit: (place: number) => boolean) => places.filter(isHit).length / places.length;
  return {
    hit1: share((place) => place === 1),
    hit5: share((place) => place >= 1 && place <= 5),
    mrr: places.reduce((sum, place) => sum + (place === 0 ? 0 : 1 / place), 0) / places.length,
  };
}

/** A sentence and what it is an example of. */
export type Example = readonly [text: string, intent: string];

/** The same queries ranked twice. */
export interface RankingComparison {
  readonly queries: number;
  readonly words: RankingMeasures;
  readonly meaning: RankingMeasures;
}

/** Each example is a document of an index; the name of an intent is to find one of its own. */
export async function compareOnIntents(
  t: TestScope,
  examples: readonly Example[],
): Promise<RankingComparison> {
  const index = await openTestIndex(t);
  await putExamples(index.parts, examples);
  const intents = [...new Set(examples.map(([, intent]) => intent))];
  const pairs = intents.map((intent) => [intent.replaceAll('_', ' '), intent] as const);
  const toIntents = (urls: readonly string[]) => urls.map((url) => url.split('/')[3] ?? '');
  return {
    queries: pairs.length,
    words: await measureRanking(pairs, async (text) => toIntents(await index.urlsByWords(text))),
    meaning: await measureRanking(pairs, async (text) => toIntents(await index.urls(text))),
  };
}

const examplesAtOnce = 200;

async function putExamples(
  { corpus, sources, maker }: IndexingContext,
  examples: readonly Example[],
): Promise<void> {
  const id = sourceId('test:examples');
  await sources.ensure({
    id,
    kind: 'web',
    location: 'test:examples',
    options: '{}',
    everyMs: null,
    addedAtMs: 0,
  });
  const { signal } = new AbortController();
  for (let at = 0; at < examples.length; at += examplesAtOnce) {
    const documents = examples.slice(at, at + examplesAtOnce).map(([text, intent], place) =>
      maker.toDocument(
        // A title would be found as well; a blank one keeps the address from standing in for it.
        { title: ' ', text, language: 'en', date: null, lastUpdated: null },
        {
          sourceId: id,
          url: `http://h/${intent}/${at + place}`,
          hash: '',
          etag: null,
          lastModified: null,
          fetchedAtMs: 1,
        },
        signal,
      ),
    );
    await corpus.put(await Promise.all(documents));
  }
}

/** Means over several comparisons, each query counted once. */
export function pool(comparisons: readonly RankingComparison[]): RankingComparison {
  const queries = comparisons.reduce((sum, one) => sum + one.queries, 0);
  const mean = (of: (one: RankingComparison) => number) =>
    comparisons.reduce((sum, one) => sum + of(one) * one.queries, 0) / queries;
  const measures = (which: 'words' | 'meaning'): RankingMeasures => ({
    hit1: mean((one) => one[which].hit1),
    hit5: mean((one) => one[which].hit5),
    mrr: mean((one) => one[which].mrr),
  });
  return { queries, words: measures('words'), meaning: measures('meaning') };
}

/** Every example of an intent goes to the next part in turn. */
export function deal(examples: readonly Example[], parts: number): readonly (readonly Example[])[] {
  const dealt = Array.from({ length: parts }, (): Example[] => []);
  const counts = new Map<string, number>();
  for (const example of examples) {
    const count = counts.get(example[1]) ?? 0;
    counts.set(example[1], count + 1);
    dealt[count % parts]?.push(example);
  }
  return dealt;
}

/** Somewhat less than a question of forty below what was measured: the same bytes give the same ranking. */
export function assertAtLeast(measured: RankingMeasures, floor: RankingMeasures): void {
  for (const name of ['hit1', 'hit5', 'mrr'] as const)
    assert.ok(measured[name] >= floor[name], `${name}: ${JSON.stringify(measured)}`);
}
