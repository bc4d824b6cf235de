import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { fullBucket, take, type Fill, type Rate } from './bucket.ts';

/** A bucket over time, as its keeper uses it. */
function createBucket(rate: Rate, startAt = 0) {
  let fill: Fill = { missing: 0, at: startAt };
  return (now: number, cost = 1) => {
    const admission = take(fill, now, rate, cost);
    fill = admission.fill;
    return admission;
  };
}

const contractRates: readonly Rate[] = [
  ...[1, 3, 8, 10, 17, 20, 33, 50, 85, 100, 170, 200, 335, 415, 835, 1_670].map((capacity) => ({
    capacity,
    windowMs: 1_000,
  })),
  ...[5, 50, 60, 150, 500, 600, 1_000, 2_000, 3_000, 6_000].map((capacity) => ({
    capacity,
    windowMs: 60_000,
  })),
];
const anyRate = fc.record({
  capacity: fc.integer({ min: 1, max: 3_000 }),
  windowMs: fc.constantFrom(1_000, 60_000),
});
/** From the start of a process to a year of it. Unit: ms. */
const startTimes = [0, 0.1, 1_234.567, 86_400_000.3, 2_592_000_000.7, 31_536_000_000.9];

suite('take', () => {
  test('a full bucket admits exactly its capacity at once, at any time of the clock', () => {
    for (const rate of contractRates) {
      for (const now of startTimes) {
        const ask = createBucket(rate, now - 5);
        for (let left = rate.capacity - 1; left >= 0; left--) {
          const { allowed, remaining } = ask(now);
          assert.deepEqual([allowed, remaining], [true, left], `${rate.capacity} at ${now}`);
        }
        const refused = ask(now);
        assert.deepEqual([refused.allowed, refused.remaining], [false, 0], `${rate.capacity} at ${now}`);
      }
    }
  });

  test('after the told wait the same request passes, and just before it does not', () => {
    for (const rate of contractRates) {
      for (const now of startTimes) {
        const ask = createBucket(rate, now);
        for (let i = 0; i < rate.capacity; i++) ask(now);
        const { retryInMs } = ask(now);
        assert.ok(
          Math.abs(retryInMs - rate.windowMs / rate.capacity) < 0.01,
          `${rate.capacity}: ${retryInMs}`,
        );
        assert.equal(ask(now + retryInMs * 0.95).allowed, false);
        assert.equal(ask(now + Math.ceil(retryInMs)).allowed, true);
      }
    }
  });

  test('a refusal takes nothing', () => {
    const ask = createBucket({ capacity: 2, windowMs: 1_000 });
    ask(0);
    ask(0);
    for (let i = 0; i < 100; i++) assert.equal(ask(499).allowed, false);
    assert.equal(ask(500).allowed, true);
  });

  test('no window sees more than capacity + rate * time', () => {
    const steps = fc.array(
      fc.tuple(fc.double({ min: 0, max: 400, noNaN: true }), fc.integer({ min: 1, max: 20 })),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(anyRate, steps, (rate, script) => {
        const ask = createBucket(rate);
        const admitted: number[] = [];
        let now = 0;
        for (const [wait, tries] of script) {
          now += wait;
          for (let i = 0; i < tries; i++) if (ask(now).allowed) admitted.push(now);
        }
        for (const [first, from] of admitted.entries()) {
          for (let last = first; last < admitted.length; last++) {
            const most = rate.capacity + ((admitted[last] ?? 0) - from) * (rate.capacity / rate.windowMs);
            assert.ok(last - first + 1 <= most + 1e-3);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  test('a steady demand at the rate is never refused once it is admitted', () => {
    for (const rate of contractRates) {
      const ask = createBucket(rate, 0.1);
      const gap = rate.windowMs / rate.capacity;
      for (let i = 0; i < rate.capacity; i++) ask(0.1);
      for (let i = 1; i <= 500; i++)
        assert.equal(ask(0.1 + i * gap).allowed, true, `${rate.capacity} request ${i}`);
    }
  });

  test('what is told is consistent, whatever came before', () => {
    const calls = fc.array(
      fc.tuple(fc.double({ min: 0, max: 5_000, noNaN: true }), fc.integer({ min: 1, max: 5_000 })),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(anyRate, calls, (rate, script) => {
        const ask = createBucket(rate);
        let now = 0;
        for (const [wait, cost] of script) {
          now += wait;
          const told = ask(now, cost);
          assert.equal(told.capacity, rate.capacity);
          assert.ok(
            Number.isInteger(told.remaining) && told.remaining >= 0 && told.remaining <= rate.capacity,
          );
          assert.ok(told.fullInMs >= 0 && told.retryInMs >= 0);
          assert.equal(told.retryInMs === 0, told.allowed);
        }
      }),
    );
  });

  test('a cost above the capacity is admitted by a full bucket and delays what comes later', () => {
    const ask = createBucket({ capacity: 10, windowMs: 1_000 });
    const debt = ask(0, 25);
    assert.deepEqual([debt.allowed, debt.remaining, debt.fullInMs], [true, 0, 2_500]);
    assert.equal(ask(1_599, 1).allowed, false);
    assert.equal(ask(1_600, 1).allowed, true);
    assert.equal(ask(1_700, 25).allowed, false, 'only a full one');
    const empty = createBucket({ capacity: 10, windowMs: 1_000 });
    empty(0);
    assert.ok(Math.abs(empty(0, 25).retryInMs - 100) < 1e-6);
  });

  test('a bucket in the past is full, and rest does not fill it beyond', () => {
    const ask = createBucket({ capacity: 3, windowMs: 1_000 });
    assert.equal(ask(1e9).remaining, 2);
    assert.ok(Math.abs(take(fullBucket, 1e9, { capacity: 3, windowMs: 1_000 }).fullInMs - 1_000 / 3) < 1e-6);
  });
});
