import { weightOf } from '../src/features/decisions/words/lexeme.ts';
import { fillers } from '../src/features/decisions/words/lexicon.ts';
import { withPolarity } from '../src/features/decisions/words/analyzed-state.ts';
import { toUnit } from '../src/features/decisions/words/metric.ts';
import { stem } from '../src/kernel/kit/stem.ts';
import type { WordVectors } from '../src/kernel/kit/word-vectors.ts';
import { splitName, tokenize } from '../src/kernel/kit/words.ts';

/** A word of the training texts that has a vector. */
export interface Word {
  /** Its vector, of length 1. */
  readonly plain: Float64Array;
  readonly weight: number;
  readonly share: number;
  readonly filler: number;
  readonly stem: string;
}

/** A text as its words, each once. */
export interface Bag {
  readonly words: readonly Word[];
  /** Factor on each word's weight. */
  readonly factors: readonly number[];
}

/** Turns texts into bags the way the engine reads them; words are shared between bags. */
export function createBags(vectors: WordVectors): (text: string) => Bag {
  const known = new Map<string, Word | null>();
  const make = (token: string): Word | null => {
    const row = vectors.rowOf(token);
    const weight = weightOf(token, row, vectors.size);
    if (row < 0 || weight === 0) return null;
    return {
      plain: toUnit(vectors.vectorAt(row)),
      weight,
      share: Math.log1p(row) / Math.log1p(vectors.size),
      filler: fillers.has(token) ? 1 : 0,
      stem: stem(token),
    };
  };
  return (text) => {
    const words = new Set<Word>();
    for (const { token } of withPolarity(tokenize(text))) {
      const found = known.get(token);
      const word = found === undefined ? make(token) : found;
      known.set(token, word);
      if (word !== null) words.add(word);
    }
    return { words: [...words], factors: Array.from(words, () => 1) };
  };
}

/** Bags of label names; a word that many of them share weighs less, as among the options of a choice. */
export function labelBags(labels: readonly string[], bagOf: (text: string) => Bag): readonly Bag[] {
  const bags = labels.map((label) => bagOf(splitName(label)));
  const counts = new Map<string, number>();
  for (const { words } of bags)
    for (const root of new Set(words.map(({ stem }) => stem))) counts.set(root, (counts.get(root) ?? 0) + 1);
  const whole = labels.length + 1;
  return bags.map(({ words }) => ({
    words,
    factors: words.map(({ stem }) => Math.log(whole / (counts.get(stem) ?? 1)) / Math.log(whole)),
  }));
}
