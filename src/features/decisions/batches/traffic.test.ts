import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../test/support/until.ts';
import { Traffic } from './traffic.ts';

test('a row waits while somebody waits for a decision, and not for ever', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const traffic = new Traffic();
  await traffic.quiet();
  const leave = [traffic.enter(), traffic.enter()];
  let begun = 0;
  const begin = () => traffic.quiet().then(() => begun++);
  const first = begin();
  leave[0]?.();
  await settle();
  assert.equal(begun, 0);
  leave[1]?.();
  await first;
  assert.equal(begun, 1);
  const last = traffic.enter();
  const second = begin();
  await settle();
  t.mock.timers.tick(249);
  await settle();
  assert.equal(begun, 1);
  t.mock.timers.tick(1);
  await second;
  assert.equal(begun, 2);
  last();
});

test('requests that arrived begin before the next row', async () => {
  const traffic = new Traffic();
  const said: string[] = [];
  await traffic.quiet();
  // What takes longer than a stretch makes the next row turn the event loop.
  for (const until = performance.now() + 2; performance.now() < until;);
  setImmediate(() => said.push('request'));
  await traffic.quiet();
  said.push('row');
  assert.deepEqual(said, ['request', 'row']);
});
