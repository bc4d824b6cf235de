import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import type { Admission, Rate } from '../../kernel/kit/bucket.ts';
import type { BucketCost } from './store/buckets.ts';
import { turnTimers } from '../../../test/support/timers.ts';
import { createFallbackBuckets } from './fallback-buckets.ts';
import { createMemoryBuckets } from './memory-buckets.ts';

const rate: Rate = { capacity: 5, windowMs: 1_000 };
const costs: readonly BucketCost[] = [{ key: 'a', rate }];

type Mode = 'answers' | 'fails' | 'hangs';

/** A shared store that is a memory of its own, and does as it is told. */
function setUp(t: TestContext) {
  const { tick } = turnTimers(t);
  let time = 0;
  let mode: Mode = 'answers';
  let asked = 0;
  const clock = { now: () => time, monotonic: () => time };
  const there = createMemoryBuckets(clock);
  const told: (string | null)[] = [];
  const buckets = createFallbackBuckets({
    shared: {
      take(wanted) {
        asked++;
        if (mode === 'fails') return Promise.reject(new Error('gone'));
        return mode === 'hangs' ? new Promise<never>(() => {}) : Promise.resolve(there.take(wanted));
      },
    },
    memory: createMemoryBuckets(clock),
    clock,
    onChange: (failure) => told.push(failure?.message ?? null),
  });
  return {
    there,
    told,
    asked: () => asked,
    be: (next: Mode) => (mode = next),
    pass: (ms: number) => {
      time += ms;
      tick(ms);
    },
    take: async (): Promise<Admission> => {
      const [admission] = await buckets.take(costs);
      assert.ok(admission);
      return admission;
    },
    takeNow: (): Admission => {
      const taken = buckets.take(costs);
      assert.ok(!(taken instanceof Promise), 'nobody waits for a store that was given up');
      const [admission] = taken;
      assert.ok(admission);
      return admission;
    },
  };
}

test('while the shared store answers, its answer is the answer', async (t) => {
  const { take, there, told } = setUp(t);
  assert.equal((await take()).remaining, 4);
  there.take(costs);
  assert.equal((await take()).remaining, 2, 'another process took one');
  assert.deepEqual(told, []);
});

test('a store that fails is given up once, and memory goes on from what the store said last', async (t) => {
  const { take, takeNow, be, told } = setUp(t);
  await take();
  await take();
  be('fails');
  assert.equal((await take()).remaining, 2);
  assert.equal(takeNow().remaining, 1);
  assert.equal(takeNow().remaining, 0);
  assert.equal(takeNow().allowed, false);
  assert.deepEqual(told, ['gone']);
});

test('a store that hangs costs the requests under way the deadline and the others nothing', async (t) => {
  const { take, takeNow, be, pass, told } = setUp(t);
  be('hangs');
  const waiting = [take(), take()];
  await turn();
  pass(250);
  assert.deepEqual(
    (await Promise.all(waiting)).map(({ allowed }) => allowed),
    [true, true],
  );
  assert.equal(takeNow().allowed, true);
  assert.deepEqual(told, ['no answer within 250 ms']);
});

test('a store that was given up is asked once a second, beside the requests, and used when it answers', async (t) => {
  const { take, takeNow, be, pass, told, asked, there } = setUp(t);
  be('fails');
  await take();
  const before = asked();
  for (let i = 0; i < 3; i++) takeNow();
  assert.equal(asked(), before, 'not within the second');
  pass(1_000);
  takeNow();
  takeNow();
  await turn();
  assert.equal(asked(), before + 1, 'one request asks');
  be('answers');
  pass(1_000);
  takeNow();
  await turn();
  assert.deepEqual(told, ['gone', null]);
  assert.equal(there.take(costs)[0]?.remaining, 3, 'the request that asked was charged there');
  assert.equal((await take()).remaining, 2);
});

test('an answer that comes after the deadline changes nothing', async (t) => {
  const { take, takeNow, be, pass, told } = setUp(t);
  be('hangs');
  const waiting = take();
  await turn();
  pass(250);
  await waiting;
  be('answers');
  takeNow();
  await turn();
  assert.deepEqual(told, ['no answer within 250 ms']);
});
