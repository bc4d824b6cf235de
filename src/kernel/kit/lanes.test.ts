import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { suite, test } from 'node:test';
import { inLanes } from './lanes.ts';

const { signal } = new AbortController();

suite('lanes', () => {
  test('every item is worked on once, so many at once', async () => {
    const done: number[] = [];
    let [underWay, most] = [0, 0];
    await inLanes([1, 2, 3, 4, 5], { count: 2, signal }, async (item) => {
      most = Math.max(most, ++underWay);
      await turn();
      underWay--;
      done.push(item);
    });
    assert.deepEqual([done, most], [[1, 2, 3, 4, 5], 2]);
  });

  test('the first failure is told when the others have stopped, and nothing begins after it', async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const work = async (item: number, within: AbortSignal): Promise<void> => {
      begun.push(item);
      if (item === 1) throw new Error('one');
      while (!within.aborted) await turn();
      ended.push(item);
      throw new Error('late');
    };
    await assert.rejects(inLanes([2, 1, 3, 4], { count: 2, signal }, work), /one/);
    assert.deepEqual([begun, ended], [[2, 1], [2]]);
  });

  test('nothing begins once the signal has aborted', async () => {
    const stop = new AbortController();
    const begun: number[] = [];
    await inLanes([1, 2, 3], { count: 1, signal: stop.signal }, async (item) => {
      begun.push(item);
      stop.abort();
      await turn();
    });
    assert.deepEqual(begun, [1]);
  });
});
