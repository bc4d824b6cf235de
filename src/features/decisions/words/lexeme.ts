import type { Vocabulary, Usual } from './vocabulary.ts';
import { feelings, fillers } from './lexicon.ts';
import { stem } from '../../../kernel/kit/stem.ts';

/** Properties of a word that depend on nothing but the word. */
export interface Lexeme {
  readonly text: string;
  /** Equal for words that meet after stemming. */
  readonly stem: string;
  /** Unit vector in the learned space; null when the word has no vector. */
  readonly unit: Float32Array | null;
  /** Weight before training, from 0 for punctuation to 1 for rare words. */
  readonly plainWeight: number;
  /** Trained weight in a hypothesis. */
  readonly weight: number;
  /** Trained weight in a state. */
  readonly stateWeight: number;
  readonly valence: number;
  readonly intensity: number;
  /** Null until the word is compared by its spelling, as few are: most have a vector. See `trigramsOf`. */
  trigrams: Int32Array | null;
}

/** Lexemes of one call, each created once. Nothing is kept between requests. */
export interface Lexemes {
  readonly vocabulary: Vocabulary;
  /** Length of a unit vector. */
  readonly dimensions: number;
  of(token: string): Lexeme;
  readonly usualOf: (mean: Float64Array) => Usual;
}

export function createLexemes(vocabulary: Vocabulary): Lexemes {
  const { vectors, model, placeOf, usualOf } = vocabulary;
  const { metric } = model;
  const known = new Map<string, Lexeme>();
  return {
    vocabulary,
    dimensions: vectors.dimensions,
    usualOf,
    of(token: string): Lexeme {
      const found = known.get(token);
      if (found !== undefined) return found;
      const row = vectors.rowOf(token);
      const feeling = feelings.get(token);
      const placed = row < 0 ? null : placeOf(row, fillers.has(token));
      const plainWeight = weightOf(token, row, vectors.size);
      const lexeme: Lexeme = {
        text: token,
        stem: stem(token),
        unit: placed?.unit ?? null,
        plainWeight,
        weight: plainWeight * Math.exp(placed?.hypothesis ?? metric.hypothesis.bias),
        stateWeight: plainWeight * Math.exp(placed?.state ?? metric.state.bias),
        valence: feeling?.valence ?? 0,
        intensity: feeling?.intensity ?? 0,
        trigrams: null,
      };
      known.set(token, lexeme);
      return lexeme;
    },
  };
}

/** Rank at which a word weighs about a tenth; below stand the function words. */
const rankScale = 60;
const unknownWeight = 0.9;
const numberWeight = 0.45;

export function weightOf(token: string, row: number, size: number): number {
  if (fillers.has(token)) return 0.08;
  if (row >= 0) return Math.log1p(row / rankScale) / Math.log1p(size / rankScale);
  if (/^\p{N}/u.test(token)) return numberWeight;
  if (/^[a-z]$/.test(token)) return 0;
  return /[\p{L}\p{Extended_Pictographic}]/u.test(token) ? unknownWeight : 0;
}

const spellingCharsMax = 40;
const none = new Int32Array(0);

/** Hashed character trigrams in rising order, worked out once; empty for words whose spelling is not compared. */
export function trigramsOf(lexeme: Lexeme): Int32Array {
  return (lexeme.trigrams ??= hashTrigrams(lexeme.text));
}

function hashTrigrams(word: string): Int32Array {
  if (word.length < 4 || word.length > spellingCharsMax || !/\p{L}/u.test(word)) return none;
  const padded = `<${word}>`;
  const grams = new Int32Array(padded.length - 2);
  for (let i = 0; i < grams.length; i++) {
    const [a, b, c] = [padded.charCodeAt(i), padded.charCodeAt(i + 1), padded.charCodeAt(i + 2)];
    grams[i] = Math.imul(Math.imul(a, 31) + b, 31) + c;
  }
  return grams.sort();
}

/** Dice coefficient of two words' trigrams, 0 to 1. */
export function spellingSimilarity(a: Int32Array, b: Int32Array): number {
  if (a.length === 0 || b.length === 0) return 0;
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const [x = 0, y = 0] = [a[i], b[j]];
    if (x === y) shared++;
    if (x <= y) i++;
    if (y <= x) j++;
  }
  return (2 * shared) / (a.length + b.length);
}

/** Likeness of two words in [0, 1]: 1 the same, 0.95 the same stem, else cosine, else spelling. */
export function likeness(a: Lexeme, b: Lexeme): number {
  if (a === b || a.text === b.text) return 1;
  if (a.stem === b.stem) return 0.95;
  if (a.unit !== null && b.unit !== null) return Math.max(0, cosine(a.unit, b.unit));
  const spelling = spellingSimilarity(trigramsOf(a), trigramsOf(b));
  return spelling > 0.45 ? 0.9 * spelling : 0;
}

function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
