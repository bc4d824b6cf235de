import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Shares } from './shares.ts';

/** How often this account may take one more. */
function takeAll(shares: Shares, account: string): number {
  let taken = 0;
  while (shares.take(account)) taken++;
  return taken;
}

test('an account leaves as much as it holds, so whoever comes next finds something', () => {
  for (const size of [2, 3, 4, 8, 64, 65]) {
    const shares = new Shares(size);
    assert.equal(takeAll(shares, 'first'), Math.ceil(size / 2), `of ${size}`);
    assert.ok(takeAll(shares, 'second') >= 1, `of ${size}`);
    assert.ok(shares.free >= 0);
  }
});

test('what is given back can be taken again, and one of one is for whoever comes first', () => {
  const shares = new Shares(1);
  assert.equal(shares.take('a'), true);
  assert.equal(shares.take('b'), false);
  shares.give('a');
  assert.equal(shares.take('b'), true);
  assert.deepEqual([shares.held, shares.free, shares.heldBy('a'), shares.heldBy('b')], [1, 0, 0, 1]);
});

test('amounts count as what they are', () => {
  const bytes = new Shares(1_000);
  assert.equal(bytes.take('a', 600), true);
  assert.equal(bytes.take('a', 1), false);
  assert.equal(bytes.take('b', 401), false);
  assert.equal(bytes.take('b', 400), true);
  bytes.give('a', 100);
  assert.deepEqual([bytes.heldBy('a'), bytes.free], [500, 100]);
});
