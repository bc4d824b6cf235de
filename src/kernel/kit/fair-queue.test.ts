import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue } from './fair-queue.ts';

test('accounts take turns, and what one put in comes out in its order', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(item.slice(0, 1), item);
  assert.deepEqual(queue.drain(), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  assert.equal(queue.size, 0);
});

test('an account that comes back after its turn stands behind the others', () => {
  const queue = new FairQueue<string>();
  queue.push('a', 'a1');
  queue.push('b', 'b1');
  assert.equal(queue.shift(), 'a1');
  queue.push('a', 'a2');
  assert.equal(queue.shift(), 'b1');
  assert.equal(queue.shift(), 'a2');
  assert.equal(queue.shift(), undefined);
});

test('who may not go is passed over and keeps its turn', () => {
  const queue = new FairQueue<string>();
  queue.push('a', 'a1');
  queue.push('b', 'b1');
  queue.push('b', 'b2');
  const isB = (account: string) => account === 'b';
  assert.equal(queue.first(isB), 'b1');
  assert.equal(queue.shift(isB), 'b1');
  assert.equal(queue.first(), 'a1');
  assert.deepEqual(queue.drain(), ['a1', 'b2']);
});

test('what is taken out of the middle leaves the others as they are', () => {
  const queue = new FairQueue<string>();
  queue.push('a', 'a2');
  queue.unshift('a', 'a1');
  queue.push('b', 'b1');
  assert.equal(queue.remove('a', 'a1'), true);
  assert.equal(queue.remove('a', 'a1'), false);
  assert.equal(queue.remove('b', 'b1'), true);
  assert.deepEqual(queue.drain(), ['a2']);
});
