import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import type { SharedBuckets } from '../../src/features/accounts/store/buckets.ts';
import { fullBucket, take, type Fill, type Rate } from '../../src/kernel/kit/bucket.ts';
import { takeInProcesses } from './take-in-processes.ts';

export const second = (capacity: number): Rate => ({ capacity, windowMs: 1_000 });
export const minute = (capacity: number): Rate => ({ capacity, windowMs: 60_000 });
/** Refills by nothing that a test could see. */
export const frozen = (capacity: number): Rate => ({ capacity, windowMs: 1e12 });

export interface OpenBuckets {
  readonly url: string;
  readonly buckets: Pick<SharedBuckets, 'take'>;
  /** Tokens held and when, as the store keeps them. */
  readonly valueOf: (key: string) => Promise<{ readonly held: number; readonly at: number }>;
  /** As if the clock had been later by that when the bucket was written. */
  readonly setBack: (key: string, byMs: number) => Promise<void>;
}

/** What every store of shared buckets holds. */
export function testBuckets(open: (context: TestContext) => Promise<OpenBuckets>): void {
  test('a fresh bucket is full: the whole burst at once and not one more', async (context) => {
    const { buckets } = await open(context);
    const taken = await Promise.all(
      Array.from({ length: 60 }, () => buckets.take([{ key: 'a', rate: frozen(50) }])),
    );
    assert.equal(taken.filter(([one]) => one?.allowed).length, 50);
    const [last] = await buckets.take([{ key: 'a', rate: frozen(50) }]);
    assert.equal(last?.remaining, 0);
    assert.ok((last?.retryInMs ?? 0) > 0);
    assert.deepEqual(await buckets.take([]), []);
  });

  test('of two buckets both are charged or none', async (context) => {
    const { buckets, valueOf } = await open(context);
    const both = [
      { key: 'qps', rate: frozen(10) },
      { key: 'rpm', rate: frozen(4) },
    ];
    const taken = await Promise.all(
      Array.from({ length: 30 }, (_, n) => buckets.take(n % 2 === 0 ? both : both.toReversed())),
    );
    assert.equal(taken.filter((admissions) => admissions.every(({ allowed }) => allowed)).length, 4);
    const [qps, rpm] = await buckets.take(both);
    assert.deepEqual([qps?.allowed, rpm?.allowed], [true, false]);
    assert.equal(Math.round((await valueOf('qps')).held), 6);
    assert.equal(Math.round((await valueOf('rpm')).held), 0);
  });

  test('says what kit/bucket says, over random takes with debts', async (context) => {
    const { buckets } = await open(context);
    const rates = { a: second(40), b: minute(900) };
    const fills: Record<'a' | 'b', Fill> = { a: fullBucket, b: fullBucket };
    let refused = 0;
    for (let step = 0; step < 300; step++) {
      const cost = step % 40 === 39 ? 70 : Math.ceil(Math.random() * 6);
      const keys = (['a', 'b'] as const).filter(() => Math.random() < 0.7);
      const told = await buckets.take(keys.map((key) => ({ key, rate: rates[key], cost })));
      const now = told[0]?.fill.at ?? 0;
      const expected = keys.map((key) => take(fills[key], now, rates[key], cost));
      for (const [index, admission] of told.entries()) {
        const other = expected[index];
        assert.ok(other);
        assert.equal(admission.allowed, other.allowed);
        assert.equal(admission.remaining, other.remaining);
        assert.ok(Math.abs(admission.fill.missing - other.fill.missing) < 1e-6);
        assert.ok(Math.abs(admission.retryInMs - other.retryInMs) < 1e-3);
      }
      if (expected.every(({ allowed }) => allowed)) {
        for (const [index, key] of keys.entries()) fills[key] = expected[index]?.fill ?? fullBucket;
      } else refused++;
    }
    assert.ok(refused > 20, `${refused} refused`);
  });

  test('a capacity that changes keeps what is held, clips it, and keeps a debt', async (context) => {
    const { buckets } = await open(context);
    const remainingOf = async (capacity: number, cost = 1) =>
      (await buckets.take([{ key: 'a', rate: frozen(capacity), cost }]))[0]?.remaining;
    assert.equal(await remainingOf(10, 4), 6);
    assert.equal(await remainingOf(200), 5);
    assert.equal(await remainingOf(3), 2);
    const [debt] = await buckets.take([{ key: 'b', rate: frozen(10), cost: 30 }]);
    assert.deepEqual([debt?.allowed, debt?.remaining], [true, 0]);
    const [refused] = await buckets.take([{ key: 'b', rate: frozen(200) }]);
    assert.deepEqual([refused?.allowed, Math.round(refused?.fill.missing ?? 0)], [false, 220]);
  });

  test('a clock that was set back costs at most one wait', async (context) => {
    const { buckets, setBack } = await open(context);
    await buckets.take([{ key: 'a', rate: minute(5), cost: 5 }]);
    await setBack('a', 3_600_000);
    const [first] = await buckets.take([{ key: 'a', rate: second(5) }]);
    assert.equal(first?.allowed, false);
    await pause((first?.retryInMs ?? 0) + 5);
    const [again] = await buckets.take([{ key: 'a', rate: second(5) }]);
    assert.equal(again?.allowed, true);
  });

  test('keys and numbers of any kind come through', async (context) => {
    const { buckets } = await open(context);
    for (const key of ['models\n::1', 'a b', '{x}:é😀', "'; return 1 --", '1'.repeat(5_000)]) {
      const [one] = await buckets.take([
        { key, rate: { capacity: 1_670, windowMs: 1_000 / 3 }, cost: 16_000 },
      ]);
      assert.deepEqual([one?.allowed, one?.capacity, one?.remaining], [true, 1_670, 0]);
    }
  });

  test('8 processes: one bucket gives exactly its capacity and its refill, two give the smaller one', async (context) => {
    const { url, buckets, valueOf } = await open(context);
    // Emptied first, and so slow to fill that it never is full: then no token is lost to a process that waits. At 100
    // a second, processes that got little of a busy machine were never refused.
    const rate = minute(600);
    const [emptied] = await buckets.take([{ key: 'hot', rate, cost: 600 }]);
    assert.ok(emptied?.allowed);
    const pair = [
      { key: 'qps', rate: frozen(5_000) },
      { key: 'rpm', rate: frozen(300) },
    ];
    const now = Date.now();
    const [one, two] = await takeInProcesses(url, [
      { costs: [{ key: 'hot', rate }], startAtMs: now + 1_000, forMs: 1_200 },
      { costs: pair, startAtMs: now + 2_200, forMs: 800 },
    ]);
    assert.ok(one && two);
    const hot = await valueOf('hot');
    const perMs = rate.capacity / rate.windowMs;
    // Tokens are neither made nor lost: what came in was given or is left.
    const most = (one.lastAt - emptied.fill.at) * perMs;
    const left = hot.held + (one.lastAt - hot.at) * perMs;
    context.diagnostic(`admitted ${one.admitted} of at most ${most.toFixed(3)}, left ${left.toFixed(3)}`);
    context.diagnostic(`refused ${one.refused} and ${two.refused}`);
    assert.ok(one.admitted <= most + 1e-3, `${one.admitted} of ${most}`);
    assert.ok(Math.abs(one.admitted + left - most) < 1e-3, `${one.admitted} and ${left} of ${most}`);
    assert.ok(one.refused > 0 && two.refused > 0);
    assert.equal(two.admitted, 300);
    assert.equal(Math.round((await valueOf('qps')).held), 4_700);
    assert.equal(Math.round((await valueOf('rpm')).held), 0);
  });
}
