import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/**
 * A table of word vectors over the bytes of one file; nothing is copied, so 80,000 words take about 10 MB. Rows are in
 * order of frequency, the most frequent word first.
 */
export type WordVectors = ReturnType<typeof tableOver>;

/** The table that ships with Nestor. */
export const wordVectorsPath: URL = new URL('../../../assets/word-vectors.bin', import.meta.url);

export const wordVectorsMagic = 0x56574e4e; // "NNWV", read as little-endian uint32
export const wordVectorsVersion = 1;

/**
 * File format, little-endian:
 * header, 8 uint32: magic, version, words n, dimensions d, index slots m (a power of two), word bytes b, 0, 0;
 * scales, n float32: a vector is its int8 row times its scale; inverse norms, n float32: 1 / |int8 row|;
 * word ends, n uint32: end of each word in the word bytes;
 * index, m uint32: row + 1, or 0 for a free slot, placed by `hashWord` with linear probing;
 * rows, n * d int8; word bytes, b bytes of ASCII.
 */
export function loadWordVectors(path: string | URL = wordVectorsPath): WordVectors {
  return createWordVectors(readFileSync(path));
}

/** The same without blocking the event loop for 10 MB. */
export async function readWordVectors(path: string | URL = wordVectorsPath): Promise<WordVectors> {
  return createWordVectors(await readFile(path));
}

/** The same from bytes. Throws Error for another format or version. */
export function createWordVectors(file: Uint8Array): WordVectors {
  return tableOver(readTable(file));
}

function readTable(file: Uint8Array) {
  const bytes = file.byteOffset % 4 === 0 ? file : file.slice();
  if (bytes.length < 32) throw new Error('word vectors: the file is cut short');
  const header = new Uint32Array(bytes.buffer, bytes.byteOffset, 8);
  const [magic = 0, version = 0, size = 0, dimensions = 0, slots = 0, wordBytes = 0] = header;
  if (magic !== wordVectorsMagic) throw new Error('word vectors: not a word vector file');
  if (version !== wordVectorsVersion) throw new Error(`word vectors: version ${version} is not supported`);
  const expected = 32 + 12 * size + 4 * slots + size * dimensions + wordBytes;
  if (bytes.length !== expected)
    throw new Error(`word vectors: ${bytes.length} bytes instead of ${expected}`);
  let offset = bytes.byteOffset + 32;
  const next = (length: number): number => (offset += length) - length;
  return {
    size,
    dimensions,
    scales: new Float32Array(bytes.buffer, next(4 * size), size),
    inverseNorms: new Float32Array(bytes.buffer, next(4 * size), size),
    ends: new Uint32Array(bytes.buffer, next(4 * size), size),
    index: new Uint32Array(bytes.buffer, next(4 * slots), slots),
    rows: new Int8Array(bytes.buffer, next(size * dimensions), size * dimensions),
    words: Buffer.from(bytes.buffer, next(wordBytes), wordBytes),
  };
}

/** FNV-1a over UTF-16 units, 32 bits; part of the file format. */
export function hashWord(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

function tableOver(table: ReturnType<typeof readTable>) {
  const { size, dimensions, scales, inverseNorms, ends, index, rows, words } = table;
  const mask = index.length - 1;
  const startOf = (row: number): number => (row === 0 ? 0 : (ends[row - 1] ?? 0));
  const isWordAt = (row: number, word: string): boolean => {
    const start = startOf(row);
    if ((ends[row] ?? 0) - start !== word.length) return false;
    for (let i = 0; i < word.length; i++) if (words[start + i] !== word.charCodeAt(i)) return false;
    return true;
  };
  const check = (row: number): void => {
    if (!Number.isInteger(row) || row < 0 || row >= size) throw new RangeError(`word vectors: no row ${row}`);
  };
  /** Adds `weight` times the row's vector (not normalized) to `into`. */
  const addTo = (into: Float64Array, row: number, weight: number): void => {
    check(row);
    const factor = weight * (scales[row] ?? 0);
    const base = row * dimensions;
    for (let i = 0; i < dimensions; i++) into[i] = (into[i] ?? 0) + factor * (rows[base + i] ?? 0);
  };
  return Object.freeze({
    size,
    dimensions,
    addTo,
    /** Row of a word as `tokenize` writes it, or -1. */
    rowOf(word: string): number {
      if (word.length > 64) return -1;
      for (let slot = hashWord(word) & mask; ; slot = (slot + 1) & mask) {
        const entry = index[slot] ?? 0;
        if (entry === 0) return -1;
        if (isWordAt(entry - 1, word)) return entry - 1;
      }
    },
    /** Throws RangeError for an unknown row. */
    wordAt(row: number): string {
      check(row);
      return words.toString('latin1', startOf(row), ends[row]);
    },
    /** Cosine in [-1, 1]; of a row with itself 1 up to float32 rounding. */
    similarity(a: number, b: number): number {
      let dot = 0;
      const from = a * dimensions;
      const shift = b * dimensions - from;
      const to = from + dimensions;
      for (let i = from; i < to; i++) dot += (rows[i] ?? 0) * (rows[i + shift] ?? 0);
      return dot * (inverseNorms[a] ?? 0) * (inverseNorms[b] ?? 0);
    },
    /** A copy, not normalized. */
    vectorAt(row: number): Float64Array {
      const vector = new Float64Array(dimensions);
      addTo(vector, row, 1);
      return vector;
    },
  });
}
