import { raceSignal } from '../../kernel/kit/abort.ts';
import type { Caller } from '../../kernel/kit/caller.ts';
import { stem } from '../../kernel/kit/stem.ts';
import { tokenize } from '../../kernel/kit/words.ts';
import type { Likeness } from '../models/feature.ts';
import type { Hit } from './engine.ts';
import { fuse } from './fusion.ts';

const emptyWords = new Set(
  'a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my of on or our she he should so than that the their them then there these they this to us was we were what when where which who whom whose why will with would you your about not no yes please tell show give find'.split(
    ' ',
  ),
);

const termsMax = 64;

/** Words of a query that say what it is about, in the form in which texts are compared. */
export function termsOf(text: string): readonly string[] {
  const words = tokenize(text.slice(0, 8_192)).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const specific = words.filter((word) => !emptyWords.has(word));
  return [...new Set((specific.length === 0 ? words : specific).map(stem))].slice(0, termsMax);
}

/** The same form of any text, every word in its place. */
export function stemsOf(text: string): readonly string[] {
  return tokenize(text).map(stem);
}

/** Whether most of what a query is about stands in a hit. An own document must earn its place among hits of the web. */
export function isAbout({ title, snippet }: Hit, terms: readonly string[]): boolean {
  if (terms.length === 0) return false;
  const words = new Set(stemsOf(`${title} ${snippet.slice(0, 8_000)}`));
  const covered = terms.filter((term) => words.has(term)).length;
  return covered / terms.length >= 0.7;
}

/** Vectors of texts whose cosine means likeness, as the embedding engine makes them. */
export type Embed = (
  texts: readonly string[],
  signal: AbortSignal,
  account: string,
) => Promise<readonly Float32Array[]>;

const hitsEmbeddedMax = 60;
const textCharsMax = 1_000;
/** Beside the order that the engines agreed on, which is worth more. */
const likenessWeight = 0.5;

/** Moves hits that are like the query forward. Rejects when the embedding engine fails. */
export async function rerank(
  text: string,
  hits: readonly Hit[],
  embed: Embed,
  { signal, account }: Caller,
): Promise<readonly Hit[]> {
  const head = hits.slice(0, hitsEmbeddedMax);
  const texts = head.map(({ title, snippet }) => `${title}. ${snippet}`.slice(0, textCharsMax));
  const vectors = await raceSignal(embed([text.slice(0, textCharsMax), ...texts], signal, account), signal);
  const [query, ...others] = vectors;
  if (query === undefined || others.length !== head.length) return hits;
  const cosines = head.map((_, index) => cosine(query, others[index] ?? new Float32Array(0)));
  return fuseWithLikeness(hits, cosines);
}

/**
 * The same by the encoder of this process, which compares how the first hits begin. Null where it does not answer: it is
 * not there, still reads its weights, or has too much to do.
 */
export async function rerankByEncoder(
  text: string,
  hits: readonly Hit[],
  likeness: Likeness,
  { signal, account }: Caller,
): Promise<readonly Hit[] | null> {
  const texts = hits.map(({ title, snippet }) => `${title}. ${snippet}`);
  const cosines = await likeness.compare(text, texts, signal, account);
  return cosines === null ? null : fuseWithLikeness(hits, cosines);
}

/** The first hits have a cosine each, and take part in both orders. */
function fuseWithLikeness(hits: readonly Hit[], cosines: readonly number[]): readonly Hit[] {
  const byLikeness = cosines
    .flatMap((likeness, index) => {
      const hit = hits[index];
      return hit === undefined ? [] : [{ hit, likeness }];
    })
    .toSorted((a, b) => b.likeness - a.likeness)
    .map(({ hit }) => hit);
  const rankings = [
    { items: hits, weight: 1 },
    { items: byLikeness, weight: likenessWeight },
  ];
  return fuse(
    rankings,
    ({ url }) => url,
    (first) => first,
  );
}

function cosine(a: Float32Array, b: Float32Array): number {
  let product = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [x = 0, y = 0] = [a[i], b[i]];
    product += x * y;
    squaresA += x * x;
    squaresB += y * y;
  }
  return squaresA === 0 || squaresB === 0 ? 0 : product / Math.sqrt(squaresA * squaresB);
}
