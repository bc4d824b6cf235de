import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backgroundAccount } from './caller.ts';
import { FairSlots, SlotsFull } from './fair-slots.ts';

const never = new AbortController().signal;

/** Work that ends when the test says so, and the order in which it began. */
function heldWork(slots: FairSlots) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (name: string, signal: AbortSignal = never) =>
    slots.run(name.slice(0, 1), signal, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await turn();
  };
  return { begun, start, end };
}

/** Lets everything that is ready go on. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('one account never has all slots, so another begins at once, however long the first one works', async () => {
  const { begun, start, end } = heldWork(new FairSlots({ slotsMax: 4, waitingMax: 64 }));
  const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => start(name));
  await turn();
  assert.deepEqual(begun, ['a1', 'a2', 'b1']);
  await end('a1');
  assert.deepEqual(begun.slice(3), ['a3']);
  for (const name of ['b1', 'a2', 'a3', 'a4']) await end(name);
  await Promise.all(all);
});

test('slots that become free go to accounts in turn', async () => {
  const { begun, start, end } = heldWork(new FairSlots({ slotsMax: 2, waitingMax: 64 }));
  const all = ['a1', 'b1', 'a2', 'a3', 'b2', 'b3', 'c1'].map((name) => start(name));
  await turn();
  for (const name of ['a1', 'b1', 'a2', 'b2', 'c1', 'a3', 'b3']) await end(name);
  await Promise.all(all);
  assert.deepEqual(begun, ['a1', 'b1', 'a2', 'b2', 'c1', 'a3', 'b3']);
});

test('one account cannot fill the queue for others', async () => {
  const { start, end } = heldWork(new FairSlots({ slotsMax: 1, waitingMax: 4 }));
  const first = start('a1');
  const second = start('a2');
  const third = start('a3');
  await assert.rejects(start('a4'), SlotsFull);
  const other = start('b1');
  await turn();
  for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name);
  await Promise.all([first, second, third, other]);
});

test('what is aborted while it waits leaves the queue and its place', async () => {
  const { begun, start, end } = heldWork(new FairSlots({ slotsMax: 1, waitingMax: 2 }));
  const first = start('a1');
  const stop = new AbortController();
  const waiting = start('a2', stop.signal);
  await assert.rejects(start('a3'), SlotsFull);
  stop.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  const next = start('a4');
  await turn();
  await end('a1');
  await end('a4');
  await Promise.all([first, next]);
  assert.deepEqual(begun, ['a1', 'a4']);
});

test('what is aborted in the moment it gets its slot takes nobody else out of the queue', async () => {
  const slots = new FairSlots({ slotsMax: 1, waitingMax: 8 });
  const leave = await slots.enter('a', never);
  const stop = new AbortController();
  const second = slots.enter('a', stop.signal);
  const third = slots.enter('b', never);
  leave();
  stop.abort(new Error('gone'));
  (await second)();
  (await third)();
});

test('a slot that is given back twice is free once', async () => {
  const slots = new FairSlots({ slotsMax: 1, waitingMax: 8 });
  const leave = await slots.enter('a', never);
  leave();
  leave();
  const again = await slots.enter('a', never);
  const begun: string[] = [];
  const next = slots.run('b', never, async () => void begun.push('b'));
  await turn();
  assert.deepEqual(begun, []);
  again();
  await next;
  assert.deepEqual(begun, ['b']);
});

test('work that nobody waits for goes behind all others, also behind who comes back in the same turn of the event loop', async () => {
  const slots = new FairSlots({ slotsMax: 1, waitingMax: 64 });
  const leave = await slots.enter('a', never);
  const begun: string[] = [];
  const behind = slots.run(backgroundAccount, never, async () => void begun.push('behind'));
  const other = slots.run('b', never, async () => void begun.push('b'));
  const steps = (async () => {
    for (const step of ['a1', 'a2', 'a3']) await slots.run('a', never, async () => void begun.push(step));
  })();
  leave();
  await Promise.all([behind, other, steps]);
  assert.deepEqual(begun, ['b', 'a1', 'a2', 'a3', 'behind']);
});

test('work that nobody waits for has its turn after so many of others', async () => {
  const { begun, start, end } = heldWork(new FairSlots({ slotsMax: 1, waitingMax: 128 }));
  const names = Array.from({ length: 40 }, (_, at) => `${'abcd'.charAt(at % 4)}${at}`);
  const all = ['a', `${backgroundAccount}1`, `${backgroundAccount}2`, ...names].map((name) => start(name));
  for (let at = 0; at < all.length; at++) {
    await turn();
    await end(begun[at] ?? '');
  }
  await Promise.all(all);
  const places = begun.flatMap((name, at) => (name.startsWith(backgroundAccount) ? [at] : []));
  assert.deepEqual(places, [17, 34]);
});
