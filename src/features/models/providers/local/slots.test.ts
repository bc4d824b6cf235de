import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Lane } from './lane.ts';
import { free, Slots } from './slots.ts';

const lane: Lane = {
  length: () => 0,
  evaluate: () => assert.fail('nothing is evaluated'),
  write: () => assert.fail('nothing is written'),
  keep: () => Promise.resolve(),
  rewind: () => Promise.resolve(),
};

async function open(lanes: number): Promise<Slots> {
  const slots = new Slots([{ lanes, size: 100 }], 4, () =>
    Promise.resolve(Array.from({ length: lanes }, () => lane)),
  );
  await slots.makeRoom(1);
  return slots;
}

const prompt = (of: number) => Array.from({ length: 40 }, () => of);

suite('lanes of accounts', () => {
  test('an account alone has them all, one of them for readings', async () => {
    const slots = await open(4);
    for (let at = 0; at < 3; at++) assert.ok(slots.takeAlone(prompt(at), 'a', 0));
    assert.equal(slots.takeAlone(prompt(3), 'a', 0), null);
    assert.ok(slots.take(prompt(4), 'a'));
    assert.equal(slots.heldBy('a'), 4);
    assert.equal(slots.take(prompt(5), 'a'), null);
  });

  test('an account gives one back to another with two fewer, and the one whose loss costs least', async () => {
    const slots = await open(4);
    const taken = [5, 2, 9].map((tokenUsage, at) => {
      const slot = slots.takeAlone(prompt(at), 'a', 0);
      assert.ok(slot);
      slot.tokenUsage = tokenUsage;
      return slot;
    });
    const given = slots.takeAlone(prompt(7), 'b', 0);
    assert.equal(given, taken[1]);
    assert.deepEqual([slots.heldBy('a'), slots.heldBy('b')], [2, 1]);
    assert.equal(slots.mayTakeAlone('b'), false, 'one fewer is fair');
    assert.equal(slots.mayTakeAlone('a'), false, 'nothing is taken back');
    assert.equal(slots.mayTakeAlone('c'), true);
  });

  test('a reading of another account takes a lane as well', async () => {
    const slots = await open(4);
    for (let at = 0; at < 4; at++) assert.ok(slots.take(prompt(at), 'a'));
    assert.ok(slots.take(prompt(4), 'b'));
    assert.ok(slots.take(prompt(5), 'b'));
    assert.equal(slots.take(prompt(6), 'b'), null);
    assert.equal(slots.take(prompt(7), 'a'), null);
    assert.deepEqual([slots.heldBy('a'), slots.heldBy('b')], [2, 2]);
  });

  test('where one holds one more, its answer goes on until it has paid its price', async () => {
    const slots = await open(1);
    const first = slots.takeAlone(prompt(1), 'a', 0);
    assert.ok(first);
    assert.equal(first.price, 16);
    first.tokenUsage = 15;
    assert.equal(slots.mayTakeAlone('b'), false);
    assert.equal(slots.take(prompt(2), 'b'), null);
    first.tokenUsage = 16;
    assert.equal(slots.mayTakeAlone('a'), false);
    const second = slots.takeAlone(prompt(2), 'b', 0);
    assert.equal(second, first);
    assert.equal(slots.mayTakeAlone('a'), false);
    second.tokenUsage = 16;
    assert.equal(slots.takeAlone(prompt(1), 'a', 30)?.price, 30, 'the price of coming back');
  });

  test('what nobody uses any more is free for everybody', async () => {
    const slots = await open(2);
    const slot = slots.takeAlone(prompt(1), 'a', 0);
    assert.ok(slot);
    free(slot);
    assert.equal(slots.heldBy('a'), 0);
    assert.ok(slots.takeAlone(prompt(2), 'b', 0));
    assert.equal(slots.heldBy('b'), 1);
  });
});
