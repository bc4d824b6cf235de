import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { chunkUnitsMax, createChunkTable } from './chunk-table.ts';

suite('pieces of text and their words', () => {
  test('pieces of one hash are told apart, and a part of one is not it', () => {
    const table = createChunkTable();
    table.add('one', 7, [1]);
    table.add('two', 7, [2, 3]);
    table.add('...', 7, []);
    const text = 'x one two ... on';
    const wordsAt = (from: number, to: number) => {
      const place = table.find(text, from, to, 7);
      return place < 0
        ? null
        : Array.from({ length: table.countAt(place) }, (_, i) => table.wordAt(place, i));
    };
    assert.deepEqual(wordsAt(2, 5), [1]);
    assert.deepEqual(wordsAt(6, 9), [2, 3]);
    assert.deepEqual(wordsAt(10, 13), []);
    assert.equal(wordsAt(14, 16), null);
    assert.equal(table.find(text, 2, 5, 8), -1);
  });

  test('all of many are kept, and none after it was cleared', () => {
    const table = createChunkTable();
    const chunks = Array.from({ length: 20_000 }, (_, n) => `piece${n}`);
    // Few hashes, so that most stand beside their place.
    for (const [n, chunk] of chunks.entries()) table.add(chunk, n % 5_000, n % 2 === 0 ? [n] : [n, n + 1]);
    assert.equal(table.size, chunks.length);
    for (const [n, chunk] of chunks.entries()) {
      const place = table.find(chunk, 0, chunk.length, n % 5_000);
      assert.equal(table.countAt(place), n % 2 === 0 ? 1 : 2);
      assert.equal(table.wordAt(place, 0), n);
    }
    table.clear();
    assert.equal(table.find('piece0', 0, 6, 0), -1);
    assert.equal(table.size, 0);
  });

  test('what is too long is not kept', () => {
    const table = createChunkTable();
    const long = 'a'.repeat(chunkUnitsMax + 1);
    table.add(long, 1, [1]);
    assert.equal(table.find(long, 0, long.length, 1), -1);
    assert.equal(table.size, 0);
  });
});
