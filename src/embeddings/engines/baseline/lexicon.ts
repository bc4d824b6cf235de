import { stem } from '../../../kit/stem.ts';
import { hashWord, type WordVectors } from '../../../kit/word-vectors.ts';

/** What one word adds to a text. */
export interface Lexeme {
  /** Row of its vector; -1 for a word that the table lacks. */
  readonly row: number;
  /** Weight of its vector: frequent words say little. In (0, 1]. */
  readonly meaning: number;
  /** Weight of the word itself, by how rare it is. */
  readonly rarity: number;
  /** 32 bits of its stem: places and signs in the hashed part follow from it. */
  readonly hash: number;
  /** Hashes of its pieces of three characters, for a word without a vector: a misspelling shares most of them. */
  readonly pieces: readonly number[];
}

export type Lexicon = (word: string) => Lexeme;

/** Words kept at most, about 0.2 kB each. When it is full it starts anew; vectors do not depend on it. */
const keptMax = 50_000;

/**
 * Weights by rank, which by Zipf's law stands for frequency. `smoothing` is the constant of SIF weighting, by which
 * a word as frequent as one in a thousand counts half.
 */
const smoothing = 1e-3;
const harmonic = 11.9;

export function createLexicon(vectors: WordVectors): Lexicon {
  const kept = new Map<string, Lexeme>();
  return (word) => {
    const known = kept.get(word);
    if (known !== undefined) return known;
    if (kept.size >= keptMax) kept.clear();
    const made = toLexeme(vectors, word);
    kept.set(word, made);
    return made;
  };
}

function toLexeme(vectors: WordVectors, word: string): Lexeme {
  const row = vectors.rowOf(word);
  const frequency = 1 / ((row === -1 ? vectors.size : row + 3) * harmonic);
  const isMark = /^[^\p{L}\p{N}]+$/u.test(word);
  const weight = smoothing / (smoothing + frequency);
  return {
    row,
    meaning: isMark ? 0 : weight,
    rarity: isMark ? 0 : weight * Math.log(1 / frequency),
    hash: hashWord(stem(word)),
    pieces: row === -1 && !isMark ? toPieces(word) : [],
  };
}

function toPieces(word: string): number[] {
  const marked = `<${word.slice(0, 32)}>`;
  const pieces: number[] = [];
  for (let i = 0; i + 3 <= marked.length; i++) pieces.push(hashWord(marked.slice(i, i + 3)));
  return pieces;
}

/**
 * The direction in which the mean of any text lies, and which therefore says nothing. Taken from the frequent words,
 * as weighted as they occur.
 */
export function commonDirection(vectors: WordVectors, words = 5_000): Float64Array {
  const sum = new Float64Array(vectors.dimensions);
  for (let row = 0; row < Math.min(words, vectors.size); row++) {
    const frequency = 1 / ((row + 3) * harmonic);
    vectors.addTo(sum, row, (frequency * smoothing) / (smoothing + frequency));
  }
  const norm = Math.hypot(...sum);
  return norm === 0 ? sum : sum.map((value) => value / norm);
}
