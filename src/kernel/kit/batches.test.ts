import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBatches } from './batches.ts';

test('a batch is what came since the last, and the end comes behind all of them', async () => {
  const { batches, size, push, end } = createBatches<number>();
  push(1);
  push(2);
  assert.equal(size(), 2);
  assert.deepEqual(await batches.next(), { done: false, value: [1, 2] });
  assert.equal(size(), 0);
  const next = batches.next();
  push(3);
  assert.deepEqual(await next, { done: false, value: [3] });
  push(4);
  end();
  push(5);
  assert.deepEqual(await batches.next(), { done: false, value: [4, 5] });
  assert.deepEqual(await batches.next(), { done: true, value: undefined });
});

test('a reader that waits is woken by the end', async () => {
  const { batches, end } = createBatches<number>();
  const next = batches.next();
  end();
  assert.deepEqual(await next, { done: true, value: undefined });
});

test('items may be joined while they wait', async () => {
  const join = (waiting: string[], item: string): void => {
    waiting.push((waiting.pop() ?? '') + item);
  };
  const { batches, push } = createBatches(join);
  push('a');
  push('b');
  assert.deepEqual(await batches.next(), { done: false, value: ['ab'] });
});
