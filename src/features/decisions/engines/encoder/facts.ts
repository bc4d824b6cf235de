import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encoderPath } from '../../../models/feature.ts';
import { dot } from './contrast.ts';

/** A text with the vectors of its tokens, row after row as the encoder gives them. */
export interface TokenText {
  readonly vector: Float32Array;
  readonly tokens: Float32Array;
}

/** Tells whether a text says that a statement holds, in whatever words. Trained by `training/decider/facts.py`. */
export interface FactReader {
  /** Log odds that the windows say so rather than the contrary; near 0 where they say neither. */
  logOdds(statement: TokenText, windows: readonly TokenText[]): number;
}

export const factsPath: string = join(encoderPath, 'facts.bin');

/** Windows that are read, those nearest to the statement: each of 64 tokens costs some milliseconds. */
const windowsMax = 4;
/** By how much more likeness one window counts e times as much as another. */
const relevanceScale = 0.05;
const heads = 4;

/** How much of what says neither counts for each side: a text about something else is no evidence. Chosen with the weight of facts. */
const neitherShare = 0.2;

/**
 * Weights of one reader. Every token of one text looks for those of the other that say something of the same (`query`,
 * `key`), is compared with what they say (`own`, `other`, `both`, over `value`s), and what is found on both sides is
 * weighed as said, denied or neither (`hidden`, `out`).
 */
interface Weights {
  readonly dimensions: number;
  readonly size: number;
  readonly wide: number;
  readonly value: Float32Array;
  readonly query: Float32Array;
  readonly key: Float32Array;
  readonly own: Float32Array;
  readonly other: Float32Array;
  readonly both: Float32Array;
  readonly shift: Float32Array;
  readonly hidden: Float32Array;
  readonly hiddenShift: Float32Array;
  readonly out: Float32Array;
  readonly outShift: Float32Array;
}

/** What is computed of each token of one text, whatever it is compared with. */
interface Read {
  readonly count: number;
  readonly value: Float32Array;
  readonly query: Float32Array;
  readonly key: Float32Array;
  readonly own: Float32Array;
}

/** Rejects where the file is missing. The mean of its readers ranks better than each of them. */
export async function openFactReader(): Promise<FactReader> {
  const readers = toReaders(await readFile(factsPath)).map(openReader);
  return {
    logOdds(statement, windows) {
      const nearest = windows
        .map((window) => ({ window, likeness: dot(window.vector, statement.vector) }))
        .toSorted((a, b) => b.likeness - a.likeness)
        .slice(0, windowsMax);
      const highest = nearest[0]?.likeness ?? 0;
      let [sum, total] = [0, 0];
      for (const { window, likeness } of nearest) {
        const weight = Math.exp((likeness - highest) / relevanceScale);
        for (const reader of readers)
          sum += (weight * reader(statement.tokens, window.tokens)) / readers.length;
        total += weight;
      }
      return total === 0 ? 0 : sum / total;
    },
  };
}

/** Reads a statement and a window. What is computed of each alone is kept as long as its tokens are. */
function openReader(weights: Weights): (statement: Float32Array, window: Float32Array) => number {
  const known = new WeakMap<Float32Array, Read>();
  const readOf = (tokens: Float32Array): Read => {
    const made = known.get(tokens) ?? read(tokens, weights);
    known.set(tokens, made);
    return made;
  };
  return (statement, window) => saidIn(readOf(statement), readOf(window), weights);
}

/** Four sizes of 32 bits, then the weights of each reader in 16. */
function toReaders(file: Buffer): readonly Weights[] {
  const bytes = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
  const sizes = new Uint32Array(bytes, 0, 4);
  const [count = 0, dimensions = 0, size = 0, wide = 0] = sizes;
  const all = new Float16Array(bytes, sizes.byteLength);
  let at = 0;
  const take = (length: number) => Float32Array.from(all.subarray(at, (at += length)));
  return Array.from({ length: count }, () => ({
    dimensions,
    size,
    wide,
    value: take(size * dimensions),
    query: take(size * dimensions),
    key: take(size * dimensions),
    own: take(wide * size),
    other: take(wide * size),
    both: take(wide * size),
    shift: take(wide),
    hidden: take(4 * wide * wide),
    hiddenShift: take(wide),
    out: take(3 * wide),
    outShift: take(3),
  }));
}

function read(tokens: Float32Array, { dimensions, size, wide, ...weights }: Weights): Read {
  const value = times(tokens, dimensions, weights.value, size);
  return {
    count: tokens.length / dimensions,
    value,
    query: times(tokens, dimensions, weights.query, size),
    key: times(tokens, dimensions, weights.key, size),
    own: times(value, size, weights.own, wide),
  };
}

/** Rows of `from` numbers times a matrix that has `to` rows of as many. */
function times(rows: Float32Array, from: number, matrix: Float32Array, to: number): Float32Array {
  const count = rows.length / from;
  const found = new Float32Array(count * to);
  for (let row = 0; row < count; row++)
    for (let column = 0; column < to; column++) {
      let sum = 0;
      for (let i = 0, a = row * from, b = column * from; i < from; i++, a++, b++)
        sum += (rows[a] ?? 0) * (matrix[b] ?? 0);
      found[row * to + column] = sum;
    }
  return found;
}

/** Log odds of said against denied. */
function saidIn(statement: Read, window: Read, weights: Weights): number {
  const { wide, hidden, hiddenShift, out, outShift } = weights;
  const found = new Float32Array(4 * wide);
  found.set(compare(statement, window, weights));
  found.set(compare(window, statement, weights), 2 * wide);
  const inner = times(found, 4 * wide, hidden, wide).map((sum, i) =>
    Math.max(0, sum + (hiddenShift[i] ?? 0)),
  );
  const [said = 0, denied = 0, neither = 0] = times(inner, wide, out, 3).map(
    (sum, i) => sum + (outShift[i] ?? 0),
  );
  const highest = Math.max(said, denied, neither);
  const [a, b, c] = [Math.exp(said - highest), Math.exp(denied - highest), Math.exp(neither - highest)];
  return Math.log((a + neitherShare * c) / (b + neitherShare * c));
}

/** What the tokens of a text find of themselves in another: the most, and the mean, of each comparison. */
function compare(text: Read, other: Read, { size, wide, ...weights }: Weights): Float32Array {
  const met = attend(text, other, size);
  const product = met.map((value, i) => value * (text.value[i] ?? 0));
  const ofOther = times(met, size, weights.other, wide);
  const ofBoth = times(product, size, weights.both, wide);
  const found = new Float32Array(2 * wide);
  for (let token = 0, at = 0; token < text.count; token++)
    for (let i = 0; i < wide; i++, at++) {
      const sum = (text.own[at] ?? 0) + (ofOther[at] ?? 0) + (ofBoth[at] ?? 0) + (weights.shift[i] ?? 0);
      const value = Math.max(0, sum);
      found[i] = Math.max(found[i] ?? 0, value);
      found[wide + i] = (found[wide + i] ?? 0) + value / text.count;
    }
  return found;
}

/** For each token of a text the mean of the other's values, weighed by how its query meets their keys. */
function attend(text: Read, other: Read, size: number): Float32Array {
  const width = size / heads;
  const scale = 1 / Math.sqrt(width);
  const met = new Float32Array(text.count * size);
  const scores = new Float64Array(other.count);
  for (let token = 0; token < text.count; token++)
    for (let from = token * size; from < (token + 1) * size; from += width) {
      const offset = from - token * size;
      for (let i = 0; i < other.count; i++) {
        let sum = 0;
        for (let k = 0; k < width; k++)
          sum += (text.query[from + k] ?? 0) * (other.key[i * size + offset + k] ?? 0);
        scores[i] = sum * scale;
      }
      const highest = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
      let total = 0;
      for (let i = 0; i < other.count; i++) total += scores[i] = Math.exp((scores[i] ?? 0) - highest);
      for (let i = 0; i < other.count; i++) {
        const weight = (scores[i] ?? 0) / total;
        for (let k = 0; k < width; k++)
          met[from + k] = (met[from + k] ?? 0) + weight * (other.value[i * size + offset + k] ?? 0);
      }
    }
  return met;
}
