import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createWordVectors } from '../src/kernel/kit/word-vectors.ts';
import { isKept, removeCommon, toWordVectorsFile } from './derive-word-vectors.ts';
import { pairsOf, refineVectors } from './refine-vectors.ts';
import { toMeaning } from './wordnet.ts';

const words = ['alpha', 'beta', 'gamma', 'mp3'];
const vectors = (): Float64Array[] =>
  words.map((_, row) => Float64Array.from({ length: 100 }, (_, i) => Math.sin((row + 1) * (i + 1)) + 0.3));

test('only what the tokenizer emits as one word is kept', () => {
  for (const word of ['refund', 'mp3', 'w9', '401k']) assert.equal(isKept(word), true, word);
  for (const word of ['', ',', '10', 'well-known', "n't", 'café', 'u.s.', 'a'.repeat(33)]) {
    assert.equal(isKept(word), false, word);
  }
});

test('a table is read back as it was written, up to the rounding of a byte', () => {
  const table = createWordVectors(toWordVectorsFile(words, vectors()));
  assert.equal(table.size, 4);
  for (const [row, vector] of vectors().entries()) {
    assert.equal(table.rowOf(words[row] ?? ''), row);
    assert.equal(table.wordAt(row), words[row]);
    const read = table.vectorAt(row);
    vector.forEach((value, i) => assert.ok(Math.abs(value - (read[i] ?? 0)) < 0.006));
  }
});

test('deriving again gives the same bytes', () => {
  const derive = (): Buffer => {
    const all = vectors();
    removeCommon(all);
    return toWordVectorsFile(words, all);
  };
  assert.deepEqual(derive(), derive());
});

test('what all vectors share is taken off', () => {
  const all = vectors();
  removeCommon(all);
  for (let i = 0; i < 100; i++)
    assert.ok(Math.abs(all.reduce((sum, vector) => sum + (vector[i] ?? 0), 0)) < 1e-9);
});

test('a line of WordNet is read as a meaning', () => {
  const line =
    '00001740 03 n 02 cash_machine 0 till(a) 0 001 @ 00001930 n 0000 | where money is drawn; "use the till"';
  assert.deepEqual(toMeaning(line), {
    names: [['cash', 'machine'], ['till']],
    definition: ['where', 'money', 'is', 'drawn', ';'],
    examples: [['use', 'the', 'till']],
  });
});

test('refining draws a name to its definition, the same way each time, and leaves other words', () => {
  const refine = (): Float64Array[] => {
    const units = Array.from({ length: 7 }, (_, row) =>
      Float64Array.from({ length: 6 }, (_, i) => Math.sin((row + 2) * (i + 1)) / 2),
    );
    const meanings = [0, 2, 4].map((row) => ({
      names: [Int32Array.of(row)],
      definition: Int32Array.of(row + 1),
      examples: [],
    }));
    refineVectors(units, new Float64Array(7).fill(1), pairsOf(meanings), {
      rounds: 40,
      pairsAtOnce: 6,
      seed: 1,
    });
    return units;
  };
  const cosine = ([a, b]: readonly Float64Array[]): number => {
    const dot = (x?: Float64Array, y?: Float64Array): number =>
      x?.reduce((sum, v, i) => sum + v * (y?.[i] ?? 0), 0) ?? 0;
    return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
  };
  const before = [0, 1].map((row) =>
    Float64Array.from({ length: 6 }, (_, i) => Math.sin((row + 2) * (i + 1)) / 2),
  );
  assert.ok(cosine(refine()) > cosine(before));
  assert.deepEqual(refine(), refine());
  assert.deepEqual(
    refine()[6],
    Float64Array.from({ length: 6 }, (_, i) => Math.sin(8 * (i + 1)) / 2),
  );
});
