import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hangMs, settle } from '../../../test/support/until.ts';
import { FirstFill } from './first-fill.ts';

const { signal } = new AbortController();

test('searches wait for the first filling of the index, and those after it do not', async () => {
  const fill = new FirstFill(hangMs);
  await fill.wait(signal);
  const { promise, resolve } = Promise.withResolvers<void>();
  fill.begin(promise);
  let waited = 0;
  const waiting = [1, 2].map(() => fill.wait(signal).then(() => waited++));
  await settle();
  assert.equal(waited, 0);
  resolve();
  await Promise.all(waiting);
  await fill.wait(signal);
});

test('a filling that fails holds no search up', async () => {
  const fill = new FirstFill(hangMs);
  fill.begin(Promise.reject(new Error('the disk is full')));
  await fill.wait(signal);
});

test('a search waits no longer than it may, and ends with the reason of its signal', async () => {
  const never = new Promise(() => {});
  const short = new FirstFill(1);
  short.begin(never);
  await short.wait(signal);
  const long = new FirstFill(hangMs);
  long.begin(never);
  const caller = new AbortController();
  const waiting = long.wait(caller.signal);
  caller.abort(new Error('the caller left'));
  await assert.rejects(waiting, /^Error: the caller left$/);
});
