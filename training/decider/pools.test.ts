import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toPool } from './pools.ts';

const origin = { name: 'some', source: 'here', licence: 'CC0 1.0' };

test('a pool keeps so many texts of a label and leaves out labels with too few', () => {
  const rows = [
    ...Array.from({ length: 9 }, (_, i) => [`text ${i}`, 'lost_card'] as const),
    ['alone', 'rare'] as const,
  ];
  const pool = toPool(origin, rows, { perLabel: 4, rowsMin: 2 });
  assert.deepEqual(pool.labels, [['lost card']]);
  assert.equal(pool.rows.length, 4);
  assert.equal(new Set(pool.rows.map(([text]) => text)).size, 4);
  assert.ok(pool.rows.every(([, label]) => label === 0));
});

test('the same rows give the same pool', () => {
  const rows = Array.from({ length: 30 }, (_, i) => [`text ${i}`, i % 2 === 0 ? 'a' : 'b'] as const);
  assert.deepEqual(toPool(origin, rows, { perLabel: 5 }), toPool(origin, rows, { perLabel: 5 }));
});
