import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { createWordVectors, loadWordVectors, wordVectorsPath } from './word-vectors.ts';

const vectors = loadWordVectors();
const like = (a: string, b: string): number => vectors.similarity(vectors.rowOf(a), vectors.rowOf(b));

test('every word is found at its own row', () => {
  for (let row = 0; row < vectors.size; row++) assert.equal(vectors.rowOf(vectors.wordAt(row)), row);
});

test('words stand in frequency order', () => {
  assert.equal(vectors.wordAt(0), 'the');
  assert.ok(vectors.rowOf('money') < vectors.rowOf('refund'));
});

test('an unknown word has no row', () => {
  const unknown = ['', 'qqzzxx', '__proto__', 'constructor ', 'The', 'é', '😡', 'x'.repeat(1_000_000)];
  for (const word of unknown) assert.equal(vectors.rowOf(word), -1);
});

test('related words are more alike than unrelated ones', () => {
  assert.ok(like('refund', 'reimbursement') > like('refund', 'open') + 0.3);
  assert.ok(like('angry', 'furious') > like('angry', 'invoice') + 0.3);
});

test('similarity is symmetric, at most one, and one for a row with itself', () => {
  for (let a = 0; a < 2000; a += 97) {
    for (let b = 0; b < 80_000; b += 7919) {
      assert.equal(vectors.similarity(a, b), vectors.similarity(b, a));
      assert.ok(Math.abs(vectors.similarity(a, b)) <= 1 + 1e-6);
    }
    assert.ok(Math.abs(vectors.similarity(a, a) - 1) < 1e-6);
  }
});

test('similarity is the cosine of the vectors', () => {
  const [a, b] = [vectors.vectorAt(500), vectors.vectorAt(700)];
  const dot = a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
  const length = (v: Float64Array): number => Math.sqrt(v.reduce((sum, value) => sum + value * value, 0));
  assert.ok(Math.abs(vectors.similarity(500, 700) - dot / length(a) / length(b)) < 1e-6);
});

test('addTo adds the weighted vector', () => {
  const sum = new Float64Array(vectors.dimensions);
  vectors.addTo(sum, 42, 2);
  assert.deepEqual(
    [...sum],
    [...vectors.vectorAt(42)].map((value) => 2 * value),
  );
});

test('a row outside of the table is refused', () => {
  for (const row of [-1, vectors.size, 0.5, Number.NaN])
    assert.throws(() => vectors.vectorAt(row), RangeError);
});

test('a file that is cut, of another kind or of another version is refused', () => {
  const bytes = readFileSync(wordVectorsPath);
  assert.throws(() => createWordVectors(bytes.subarray(0, 20)), /cut short/);
  assert.throws(() => createWordVectors(bytes.subarray(0, 1_000_000)), /instead of/);
  const other = Uint8Array.from(bytes.subarray(0, 64));
  other[4] = 9;
  assert.throws(() => createWordVectors(other), /version 9/);
  other[0] = 0;
  assert.throws(() => createWordVectors(other), /not a word vector file/);
});

test('bytes at an odd place in memory are read the same', () => {
  const bytes = readFileSync(wordVectorsPath);
  const shifted = new Uint8Array(bytes.length + 1).subarray(1);
  shifted.set(bytes);
  const again = createWordVectors(shifted);
  assert.equal(again.similarity(10, 20), vectors.similarity(10, 20));
  assert.equal(again.wordAt(79_999), vectors.wordAt(79_999));
});

test('the table cannot be changed', () => {
  assert.ok(Object.isFrozen(vectors));
});
