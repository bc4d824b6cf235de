import type { WordVectors } from '../../../../kernel/kit/word-vectors.ts';
import type { Question } from './question.ts';
import type { Unit } from './units.ts';
import { meansSame, stem } from './words.ts';

/** For each word of a question its best match in a text, in [0, 1]. */
export type Match = readonly number[];

/** Rare words count most: rare in English (by rank of frequency) and rare among the units. */
export function weigh({ words }: Question, units: readonly Unit[], vectors: WordVectors): readonly number[] {
  const rarest = Math.log(20_000);
  const commonest = Math.log(100);
  return words.map(({ word, stem, weight }) => {
    const row = vectors.rowOf(word);
    const rarity = row < 0 ? 1 : (Math.log(row + 1) - commonest) / (rarest - commonest);
    const found = units.reduce((sum, { stems }) => sum + (stems.has(stem) ? 1 : 0), 0);
    const idf = Math.log(1 + units.length / (found + 1)) / Math.log(1 + units.length);
    return weight * Math.min(1, Math.max(0.1, rarity)) * (0.6 + 0.4 * Math.min(1, idf));
  });
}

/** Compares the words of texts with those of a question; each distinct word once. */
export function createMatcher({ words }: Question, vectors: WordVectors): (text: readonly string[]) => Match {
  const asked = words.map(({ word, stem }) => ({
    stem,
    row: vectors.rowOf(word),
    known: new Map<string, number>(),
  }));
  return (text) =>
    asked.map(({ stem: stemmed, row, known }) => {
      let best = 0;
      for (const word of text) {
        let value = known.get(word);
        if (value === undefined) known.set(word, (value = compare(row, stemmed, word, vectors)));
        if (value > best) best = value;
        if (best === 1) break;
      }
      return best;
    });
}

function compare(row: number, stemmed: string, word: string, vectors: WordVectors): number {
  if (meansSame(stemmed, stem(word))) return 1;
  // Numbers and years lie close together as vectors and mean something else each.
  if (row < 0 || /\d/.test(word) || /\d/.test(stemmed)) return 0;
  const other = vectors.rowOf(word);
  if (other < 0) return 0;
  // Below 0.6 are words of one field (north, south); above it are mostly words for one thing.
  return Math.min(0.75, Math.max(0, (vectors.similarity(row, other) - 0.6) * 2.5));
}

export function weightedMean(values: readonly number[], weights: readonly number[]): number {
  let sum = 0;
  let all = 0;
  for (const [at, weight] of weights.entries()) {
    sum += weight * (values[at] ?? 0);
    all += weight;
  }
  return all === 0 ? 0 : sum / all;
}
