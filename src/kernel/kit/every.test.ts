import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { turnTimers } from '../../../test/support/timers.ts';
import { every } from './every.ts';

suite('every', () => {
  /** Lets promises that are already resolved run on. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  test('pauses between turns and never runs two at a time', async (t) => {
    const { tick } = turnTimers(t);
    let begun = 0;
    let turn = Promise.withResolvers<void>();
    const timer = every(100, () => {
      begun++;
      return turn.promise;
    });
    tick(99);
    assert.equal(begun, 0);
    tick(1);
    assert.equal(begun, 1);
    tick(1_000);
    assert.equal(begun, 1);
    turn.resolve();
    turn = Promise.withResolvers<void>();
    await settle();
    tick(100);
    assert.equal(begun, 2);
    turn.resolve();
    await timer.close();
  });

  test('reports the first of several failures in a row', async (t) => {
    const { tick } = turnTimers(t);
    const outcomes = ['away', 'still away', null, 'away again'];
    const reported: unknown[] = [];
    const timer = every(
      10,
      () => {
        const outcome = outcomes.shift();
        return outcome ? Promise.reject(new Error(outcome)) : Promise.resolve();
      },
      (error) => reported.push(error),
    );
    for (let turn = 0; turn < 4; turn++) {
      tick(10);
      await settle();
    }
    await timer.close();
    assert.deepEqual(reported, [new Error('away'), new Error('away again')]);
  });

  test('waits for the turn under way when it is closed, and begins no other', async (t) => {
    const { tick } = turnTimers(t);
    let begun = 0;
    const turn = Promise.withResolvers<void>();
    const timer = every(10, () => {
      begun++;
      return turn.promise;
    });
    tick(10);
    let isClosed = false;
    const closed = timer.close().then(() => (isClosed = true));
    await settle();
    assert.equal(isClosed, false);
    turn.resolve();
    await closed;
    tick(1_000);
    assert.equal(begun, 1);
  });
});
