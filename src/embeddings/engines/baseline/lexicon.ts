import { stem } from '../../../kit/stem.ts';
import { tokenize } from '../../../kit/words.ts';
import { hashWord, type WordVectors } from '../../../kit/word-vectors.ts';

/** What one word adds to a text. */
export interface Lexeme {
  /** Row of its vector; -1 for a word that the table lacks. */
  readonly row: number;
  /** Weight of its vector: frequent words say little. In (0, 1]; 0 for a mark. */
  readonly meaning: number;
  /** Weight of the word itself, by how rare it is; 0 for a mark. */
  readonly rarity: number;
  /** 32 bits of its stem: places and signs in the hashed part follow from it. */
  readonly hash: number;
  /** Hashes of its pieces of three characters, for a word without a vector: a misspelling shares most of them. */
  readonly pieces: readonly number[];
  /** How often the text has it that was split last. */
  count: number;
  /** Number of that text. */
  text: number;
}

/** The different words of a text in their order, counted. They are good until the next text is split. */
export type Lexicon = (text: string) => readonly Lexeme[];

/** Words and pieces of text kept at most, about 0.2 kB each. When it is full it starts anew; vectors do not depend on it. */
const keptMax = 100_000;
/** Pieces of text that are longer come but once. Unit: UTF-16 units. */
const chunkMax = 32;

/**
 * Weights by rank, which by Zipf's law stands for frequency. `smoothing` is the constant of SIF weighting, by which
 * a word as frequent as one in a thousand counts half.
 */
const smoothing = 1e-3;
const harmonic = 11.9;

interface Chunk {
  readonly text: string;
  readonly lexemes: readonly Lexeme[];
}

/**
 * Remembers what every piece between two blanks splits into, which is half of the work: splitting looks at no piece's
 * neighbours. Pieces are found by a hash of their units, without a string of their own; counts stand in the words
 * themselves. Strings and a map per text took a third of the time.
 */
export function createLexicon(vectors: WordVectors): Lexicon {
  const words = new Map<string, Lexeme>();
  const chunks = new Map<number, Chunk>();
  let texts = 0;

  const lexemeOf = (word: string): Lexeme => {
    const known = words.get(word);
    if (known !== undefined) return known;
    const made = toLexeme(vectors, word);
    words.set(ownCopy(word), made);
    return made;
  };
  const split = (chunk: string, hash: number): readonly Lexeme[] => {
    const lexemes = tokenize(chunk).map(lexemeOf);
    if (chunk.length <= chunkMax) chunks.set(hash, { text: ownCopy(chunk), lexemes });
    return lexemes;
  };
  const lexemesOf = (text: string, from: number, to: number, hash: number): readonly Lexeme[] => {
    const known = chunks.get(hash);
    const isKnown =
      known !== undefined && known.text.length === to - from && text.startsWith(known.text, from);
    return isKnown ? known.lexemes : split(text.slice(from, to), hash);
  };
  const count = (lexemes: readonly Lexeme[], found: Lexeme[]): void => {
    for (const lexeme of lexemes) {
      if (lexeme.text !== texts) {
        lexeme.text = texts;
        lexeme.count = 0;
        found.push(lexeme);
      }
      lexeme.count += 1;
    }
  };

  return (text) => {
    // Only here: a word that was made anew in the middle of a text would count as two.
    if (words.size + chunks.size >= keptMax) {
      words.clear();
      chunks.clear();
    }
    texts += 1;
    const found: Lexeme[] = [];
    let from = 0;
    let hash = 0;
    for (let at = 0; at <= text.length; at++) {
      const code = at === text.length ? blank : text.charCodeAt(at);
      if (!isBlank(code)) {
        hash = Math.imul(hash ^ code, 0x01000193);
        continue;
      }
      if (at > from) count(lexemesOf(text, from, at, hash), found);
      from = at + 1;
      hash = 0;
    }
    return found;
  };
}

const blank = 32;

/** Blanks, tabs and line ends part pieces; other kinds of space are left to `tokenize`. */
function isBlank(code: number): boolean {
  return code === blank || code === 10 || code === 9 || code === 13;
}

/** A part of a string may keep the whole of it in memory, and what is kept here is kept for long. */
function ownCopy(part: string): string {
  return Buffer.from(part, 'utf16le').toString('utf16le');
}

function toLexeme(vectors: WordVectors, word: string): Lexeme {
  const row = vectors.rowOf(word);
  const frequency = frequencyOf(row === -1 ? vectors.size - 3 : row);
  const isMark = /^[^\p{L}\p{N}]+$/u.test(word);
  const weight = smoothing / (smoothing + frequency);
  return {
    row,
    meaning: isMark ? 0 : weight,
    rarity: isMark ? 0 : weight * Math.log(1 / frequency),
    hash: hashWord(stem(word)),
    pieces: row === -1 && !isMark ? toPieces(word) : [],
    count: 0,
    text: 0,
  };
}

function frequencyOf(row: number): number {
  return 1 / ((row + 3) * harmonic);
}

function toPieces(word: string): number[] {
  const marked = `<${word.slice(0, 32)}>`;
  const pieces: number[] = [];
  for (let i = 0; i + 3 <= marked.length; i++) pieces.push(hashWord(marked.slice(i, i + 3)));
  return pieces;
}

/**
 * Directions in which texts lie whatever they say: that of their mean, and the one in which frequent words differ most,
 * which is more grammar than meaning. Without the second, one more of 100 customer messages finds one of another
 * intent first (bench/embeddings; a third and fourth changed nothing). Orthonormal.
 */
export function commonDirections(vectors: WordVectors, words = 1_000): readonly Float64Array[] {
  const rows = Array.from({ length: Math.min(words, vectors.size) }, (_, row) => vectors.vectorAt(row));
  const weights = rows.map((_, row) => {
    const frequency = frequencyOf(row);
    return (frequency * smoothing) / (smoothing + frequency);
  });
  const mean = new Float64Array(vectors.dimensions);
  for (const [row, vector] of rows.entries()) addTo(mean, vector, weights[row] ?? 0);
  const first = normalised(mean);
  let second: Float64Array = Float64Array.from(first, (_, place) => (place % 2 === 0 ? 1 : -1));
  // Power iteration: each round multiplies by the covariance.
  for (let round = 0; round < 12; round++) {
    const next = new Float64Array(vectors.dimensions);
    for (const [row, vector] of rows.entries())
      addTo(next, vector, (weights[row] ?? 0) * dot(vector, second));
    removeFrom(next, first);
    second = normalised(next);
  }
  return [first, second];
}

/** Takes out of a vector, which may be longer, what lies in a direction. */
export function removeFrom(vector: Float64Array, direction: Float64Array): void {
  addTo(vector, direction, -dot(vector, direction));
}

function addTo(into: Float64Array, vector: Float64Array, weight: number): void {
  for (let i = 0; i < vector.length; i++) into[i] = (into[i] ?? 0) + weight * (vector[i] ?? 0);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < b.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

function normalised(vector: Float64Array): Float64Array {
  const norm = Math.hypot(...vector);
  return norm === 0 ? vector : vector.map((value) => value / norm);
}
