import { runAtOnce } from '../../../../kernel/kit/slices.ts';
import { stem } from '../../../../kernel/kit/stem.ts';
import { tokenize } from '../../../../kernel/kit/words.ts';
import { hashWord, type WordVectors } from '../../../../kernel/kit/word-vectors.ts';
import { createChunkTable, withRoom } from './chunk-table.ts';

/** The different words of the text that was split last. */
export interface Lexicon extends Omit<ReturnType<typeof createWordTable>, 'size' | 'numberOf' | 'clear'> {
  /** Finds and counts the words of a text. Returns the number of different ones. */
  split(text: string): number;
  /** Number of its word at a place below that, in the order of the text. Good until the next `split`. */
  wordAt(place: number): number;
  countOf(word: number): number;
}

/** Most words and pieces of text cached, about 0.1 kB each. A full cache is emptied; vectors do not depend on it. */
const keptMax = 100_000;

/**
 * Weights by rank, which by Zipf's law stands for frequency. `smoothing` is the constant of SIF weighting, by which
 * a word as frequent as one in a thousand counts half.
 */
const smoothing = 1e-3;
const harmonic = 11.9;

/**
 * Remembers what every piece between two blanks splits into, which is half of the work: splitting looks at no piece's
 * neighbours. Words are numbers, and what is known of them stands in arrays of numbers: with an object per piece and
 * per word, most of the time went into waiting for memory.
 */
export function createLexicon(vectors: WordVectors): Lexicon {
  const table = createWordTable(vectors);
  const chunks = createChunkTable();
  // Of each word side by side: the number of the text that had it last, and its count there.
  let tallies = new Int32Array(2 * 1_024);
  let found = new Int32Array(1_024);
  let [foundCount, texts] = [0, 0];

  const count = (word: number): void => {
    const at = word * 2;
    if (tallies[at] !== texts) {
      tallies[at] = texts;
      tallies[at + 1] = 0;
      found[foundCount++] = word;
    }
    tallies[at + 1] = (tallies[at + 1] ?? 0) + 1;
  };
  const countChunk = (text: string, from: number, to: number, hash: number): void => {
    const place = chunks.find(text, from, to, hash);
    if (place >= 0) {
      for (let index = 0; index < chunks.countAt(place); index++) count(chunks.wordAt(place, index));
      return;
    }
    const chunk = text.slice(from, to);
    const words = tokenize(chunk).map((word) => table.numberOf(word));
    tallies = withRoom(tallies, table.size() * 2, (length) => new Int32Array(length));
    found = withRoom(found, table.size(), (length) => new Int32Array(length));
    for (const word of words) count(word);
    chunks.add(chunk, hash, words);
  };

  return {
    ...table,
    split(text) {
      // Only here, because a word that gets a new number in the middle of a text would count as two.
      if (table.size() + chunks.size >= keptMax) {
        table.clear();
        chunks.clear();
        tallies.fill(0);
      }
      texts = (texts + 1) & 0x7fff_ffff;
      foundCount = 0;
      eachChunk(text, countChunk);
      return foundCount;
    },
    wordAt: (place) => found[place] ?? 0,
    countOf: (word) => tallies[word * 2 + 1] ?? 0,
  };
}

/** Properties of words, which are numbered from 0. */
function createWordTable(vectors: WordVectors) {
  const words = new Map<string, number>();
  const pieces: (readonly number[])[] = [];
  // Of each word side by side: row, meaning, rarity, hash.
  let values = new Float64Array(4 * 1_024);
  const made = (word: string): number => {
    const number = words.size;
    const [row, meaning, rarity, hash] = valuesOf(vectors, word);
    values = withRoom(values, (number + 1) * 4, (length) => new Float64Array(length));
    values.set([row, meaning, rarity, hash], number * 4);
    pieces[number] = row === -1 && rarity > 0 ? toPieces(word) : [];
    words.set(ownCopy(word), number);
    return number;
  };
  return {
    size: () => words.size,
    numberOf: (word: string) => words.get(word) ?? made(word),
    /** Row of its vector; -1 for a word that the table of vectors lacks. */
    rowOf: (word: number) => values[word * 4] ?? -1,
    /** Weight of its vector: frequent words say little. In (0, 1]; 0 for a mark. */
    meaningOf: (word: number) => values[word * 4 + 1] ?? 0,
    /** Weight of the word itself, by how rare it is; 0 for a mark. */
    rarityOf: (word: number) => values[word * 4 + 2] ?? 0,
    /** 32 bits of its stem: places and signs in the hashed part follow from it. */
    hashOf: (word: number) => values[word * 4 + 3] ?? 0,
    /** Hashes of its pieces of three characters, for a word without a vector: a misspelling shares most of them. */
    piecesOf: (word: number) => pieces[word] ?? [],
    clear: () => words.clear(),
  };
}

/** Calls with each piece between blanks, tabs and line ends; other kinds of space are left to `tokenize`. */
function eachChunk(text: string, take: (text: string, from: number, to: number, hash: number) => void): void {
  let from = 0;
  let hash = 0;
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? blank : text.charCodeAt(at);
    if (code !== blank && code !== 10 && code !== 9 && code !== 13) {
      hash = Math.imul(hash ^ code, 0x01000193);
      continue;
    }
    if (at > from) take(text, from, at, hash);
    from = at + 1;
    hash = 0;
  }
}

const blank = 32;

/** Copies a part of a string, which could otherwise keep the whole text in memory. */
function ownCopy(part: string): string {
  return Buffer.from(part, 'utf16le').toString('utf16le');
}

function valuesOf(vectors: WordVectors, word: string): readonly [number, number, number, number] {
  const row = vectors.rowOf(word);
  const frequency = frequencyOf(row === -1 ? vectors.size - 3 : row);
  const isMark = /^[^\p{L}\p{N}]+$/u.test(word);
  const weight = smoothing / (smoothing + frequency);
  const hash = hashWord(stem(word));
  return isMark ? [row, 0, 0, hash] : [row, weight, weight * Math.log(1 / frequency), hash];
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
export function commonDirections(vectors: WordVectors): readonly Float64Array[] {
  return runAtOnce(directionsInSteps(vectors));
}

const directionWords = 1_000;

/** The same in steps of a few milliseconds; together they take 35 ms. */
export function* directionsInSteps(vectors: WordVectors): Generator<void, readonly Float64Array[]> {
  const size = Math.min(directionWords, vectors.size);
  const rows = Array.from({ length: size }, (_, row) => vectors.vectorAt(row));
  const weights = rows.map((_, row) => {
    const frequency = frequencyOf(row);
    return (frequency * smoothing) / (smoothing + frequency);
  });
  yield;
  const mean = new Float64Array(vectors.dimensions);
  for (const [row, vector] of rows.entries()) addTo(mean, vector, weights[row] ?? 0);
  const first = normalised(mean);
  let second: Float64Array = Float64Array.from(first, (_, place) => (place % 2 === 0 ? 1 : -1));
  // Power iteration: each round multiplies by the covariance.
  for (let round = 0; round < 12; round++) {
    yield;
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
