import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillingFor, tile } from './filling.ts';

test('short chunks stay as they are, those near a tile fill it, and none is a single token', () => {
  const small = fillingFor(64);
  assert.deepEqual([1, 2, 12, 48].map(small), [2, 2, 12, 48]);
  assert.deepEqual([49, 63, 64].map(small), [tile, tile, tile]);
  assert.deepEqual([65, 128].map(small), [65, 128]);
});

test('with large heads a tile pays earlier', () => {
  assert.deepEqual([1, 32, 33, 64, 65].map(fillingFor(128)), [2, 32, tile, tile, 65]);
});
