import { stem } from '../../src/kernel/kit/stem.ts';
import { tokenize } from '../../src/kernel/kit/words.ts';

const k1 = 1.2;
const b = 0.75;

/** BM25 over the stems of a few thousand texts: the scores of all of them for a query. */
export function createBm25(texts: readonly string[]): (query: string) => readonly number[] {
  const documents = texts.map((text) => wordsOf(text));
  const mean = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  const postings = new Map<string, Map<number, number>>();
  for (const [place, words] of documents.entries()) {
    for (const word of words) {
      const places = postings.get(word) ?? new Map<number, number>();
      postings.set(word, places.set(place, (places.get(place) ?? 0) + 1));
    }
  }
  return (query) => {
    const scores = documents.map(() => 0);
    for (const word of new Set(wordsOf(query))) {
      const places = postings.get(word) ?? new Map<number, number>();
      const rarity = Math.log(1 + (documents.length - places.size + 0.5) / (places.size + 0.5));
      for (const [place, count] of places) {
        const length = (documents[place]?.length ?? 0) / mean;
        scores[place] =
          (scores[place] ?? 0) + (rarity * count * (k1 + 1)) / (count + k1 * (1 - b + b * length));
      }
    }
    return scores;
  };
}

function wordsOf(text: string): readonly string[] {
  return tokenize(text)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .map(stem);
}
