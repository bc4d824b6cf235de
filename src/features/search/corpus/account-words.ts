import { createHash } from 'node:crypto';

import type { WordQuery } from './words.ts';

/**
 * On SQLite the words of an account's documents begin with a mark of the account: they are other words than those of
 * anybody else, so neither a match nor the number of passages with a word, by which BM25 ranks, knows of other accounts. The
 * mark is of signs for private use, which no word of a text or a query has, and which the stemmer takes for consonants.
 */
function markOf(accountId: string): string {
  if (accountId === '') return '';
  const digest = createHash('sha256').update(accountId).digest();
  const signs = Array.from({ length: markSigns }, (_, at) =>
    String.fromCodePoint(privateFirst + (digest.readUInt16BE(at * 2) % privateCount)),
  );
  return signs.join('');
}

/** 63 bits. */
const markSigns = 5;
const privateFirst = 0xe0_00;
const privateCount = 6_400;

/** Words parted by spaces as those of an account; the empty one has them as they are. */
export function wordsOfAccount(accountId: string): (words: string) => string {
  const mark = markOf(accountId);
  return mark === '' ? (words) => words : (words) => words.replaceAll(/[^ ]+/g, (word) => mark + word);
}

/** A query for the words of an account. */
export function queryOfAccount(accountId: string, { words, phrases, compounds }: WordQuery): WordQuery {
  const mark = markOf(accountId);
  const marked = (some: readonly string[]) => some.map((word) => mark + word);
  return { words: marked(words), phrases: phrases.map(marked), compounds: compounds.map(marked) };
}
