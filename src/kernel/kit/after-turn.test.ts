import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { afterTurn } from './after-turn.ts';

describe('afterTurn', () => {
  const begin = (names: string[], ran: string[]) => {
    for (const name of names) afterTurn(() => ran.push(name));
  };

  it('runs a few steps at the end of their turn, and none before', async () => {
    const ran: string[] = [];
    begin(['a', 'b', 'c'], ran);
    await Promise.resolve();
    assert.deepEqual(ran, []);
    await setImmediate();
    assert.deepEqual(ran, ['a', 'b', 'c']);
  });

  it('runs many once a turn has few, in their order, and before what came meanwhile', async () => {
    const ran: string[] = [];
    begin(['a', 'b', 'c', 'd'], ran);
    await setImmediate();
    assert.deepEqual(ran, []);
    begin(['e'], ran);
    await setImmediate();
    assert.deepEqual(ran, ['a', 'b', 'c', 'd', 'e']);
  });

  it('holds nothing up for longer than two turns while the loop stays busy', async () => {
    const turns = 50;
    const lateness: number[] = [];
    for (let now = 0; now < turns; now++) {
      for (let one = 0; one < 8; one++) afterTurn(() => lateness.push(now));
      await setImmediate();
      assert.equal(lateness.length, Math.max(now - 1, 0) * 8);
    }
    await setImmediate();
    assert.equal(lateness.length, turns * 8);
    assert.deepEqual(
      lateness,
      lateness.toSorted((a, b) => a - b),
    );
  });

  it('takes steps that steps ask for', async () => {
    const ran: string[] = [];
    afterTurn(() => afterTurn(() => ran.push('second')));
    await setImmediate();
    await setImmediate();
    assert.deepEqual(ran, ['second']);
  });
});
