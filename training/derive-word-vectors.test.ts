import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createWordVectors } from '../src/kit/word-vectors.ts';
import { isKept, removeCommon, toWordVectorsFile } from './derive-word-vectors.ts';

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
