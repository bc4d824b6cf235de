import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costPartsOf, freePrice, overridePrice } from './pricing.ts';

const price = { input: 0.25, output: 2.5, cacheRead: 0.0625, cacheWrite: 0.25 };

test('each part costs its tokens times its price, unrounded', () => {
  const usage = { input: 1_234_567, output: 3, cacheRead: 1_000_000, cacheWrite: 7, reasoning: 2 };
  assert.deepEqual(costPartsOf(price, usage), {
    input: (1_234_567 * 0.25) / 1_000_000,
    output: (3 * 2.5) / 1_000_000,
    cacheRead: 0.0625,
    cacheWrite: (7 * 0.25) / 1_000_000,
  });
});

test('a changed price of input takes cached input along in its proportion; named parts stand', () => {
  assert.equal(overridePrice(price, undefined), price);
  assert.deepEqual(overridePrice(price, 1), { input: 1, output: 2.5, cacheRead: 0.25, cacheWrite: 1 });
  assert.deepEqual(overridePrice(price, { output: 9 }), { ...price, output: 9 });
  assert.deepEqual(overridePrice(price, { input: 1, cache_read: 0 }), {
    input: 1,
    output: 2.5,
    cacheRead: 0,
    cacheWrite: 1,
  });
  assert.deepEqual(overridePrice(freePrice, { input: 2 }), {
    input: 2,
    output: 0,
    cacheRead: 2,
    cacheWrite: 2,
  });
});
