import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { roundsOf } from '../../../test/support/rounds.ts';
import type { Admission } from '../../kernel/kit/bucket.ts';
import { createLimiter, createRates, type Limit, type Tables } from './limiter.ts';
import { createMemoryBuckets } from './memory-buckets.ts';

const second: Limit = { name: 'agent-second', windowMs: 1_000, capacity: [1, 3] };
const minute: Limit = { name: 'agent-minute', windowMs: 60_000, capacity: [50, 150] };

function setUp({ enabled = true, tables = {} }: { enabled?: boolean; tables?: Tables } = {}) {
  let time = 0;
  const memory = createMemoryBuckets({ now: () => time, monotonic: () => time });
  const limiter = createLimiter({ store: memory, enabled, tables });
  const take = (limits: readonly Limit[], subject: string, tier: number, cost?: number): Admission => {
    const admission = limiter.take(limits, subject, tier, cost);
    assert.ok(!(admission instanceof Promise), 'memory answers at once');
    return admission;
  };
  return { take, memory, pass: (ms: number) => (time += ms) };
}

test('two limits are taken together or not at all', () => {
  const { take, pass } = setUp();
  assert.equal(take([second, minute], 'a', 0).allowed, true);
  assert.equal(take([second, minute], 'a', 0).allowed, false);
  pass(1_000);
  const admission = take([minute], 'a', 0);
  // 50 less the two that passed, and the refill of one second: the refused request took nothing.
  assert.equal(admission.remaining, 48);
});

test('a tier decides the capacity and a table replaces it', () => {
  const { take } = setUp();
  assert.equal(take([second], 'a', 1).capacity, 3);
  assert.equal(take([second], 'b', 5).capacity, 3);
  const { take: own } = setUp({ tables: { 'agent-second': 7, 'agent-minute': [1, 2] } });
  assert.equal(own([second], 'a', 0).capacity, 7);
  assert.equal(own([minute], 'a', 1).capacity, 2);
});

test('names of the language are no tables', () => {
  const limit: Limit = { name: 'constructor', windowMs: 1_000, capacity: 3 };
  assert.equal(createRates({})(limit, 0).capacity, 3);
});

test('a limit without a number is a defect that is told', () => {
  assert.throws(() => createRates({ a: [] })({ ...second, name: 'a' }, 0), /the limit a has no number/);
});

test('subjects have buckets of their own', () => {
  const { take } = setUp();
  assert.equal(take([second], 'a', 0).allowed, true);
  assert.equal(take([second], 'b', 0).allowed, true);
  assert.equal(take([second], 'a', 0).allowed, false);
});

test('limits of one name are one bucket, whichever object declares them', () => {
  const { take } = setUp();
  assert.equal(take([second], 'a', 0).allowed, true);
  assert.equal(take([{ ...second }], 'a', 0).allowed, false);
});

test('the bucket with the smaller share left is told, on refusal the one that refused', () => {
  const { take } = setUp();
  assert.equal(take([second, minute], 'a', 1).capacity, 3);
  const { take: tight } = setUp({ tables: { 'agent-minute': 1 } });
  assert.equal(tight([second, minute], 'a', 1).allowed, true);
  const refused = tight([second, minute], 'a', 1);
  assert.deepEqual([refused.allowed, refused.capacity, refused.retryInMs], [false, 1, 60_000]);
});

test('of two equally filled buckets the per-second one is told', () => {
  const { take } = setUp({ tables: { 'agent-minute': 3, 'agent-second': 3 } });
  assert.equal(take([second, minute], 'a', 1).fullInMs, 1_000 / 3);
});

test('a limiter that is switched off refuses nobody and still counts', () => {
  const { take } = setUp({ enabled: false });
  take([second], 'a', 0);
  const admission = take([second], 'a', 0);
  assert.deepEqual([admission.allowed, admission.remaining, admission.retryInMs], [true, 0, 0]);
});

test('buckets that are full again are forgotten', () => {
  const { take, memory, pass } = setUp();
  for (let i = 0; i < 60_000; i++) {
    take([second], `address ${i}`, 0);
    if (i % 5_000 === 0) pass(2_000);
  }
  assert.ok(memory.size() < 25_000, `${memory.size()} are kept`);
  assert.equal(take([second], 'address 0', 0).allowed, true);
});

suite('a tier that changes', () => {
  const limit: Limit = { name: 'a', windowMs: 1_000, capacity: [10, 200] };

  test('leaves the bucket what it holds, and refills it at the new rate', () => {
    const { take, pass } = setUp();
    for (let i = 0; i < 4; i++) take([limit], 'a', 0);
    assert.equal(take([limit], 'a', 1).remaining, 5, 'six of ten were held, one was taken');
    pass(100);
    assert.equal(take([limit], 'a', 1).remaining, 24, '20 came in, one was taken');
  });

  test('clips what is held to a smaller capacity', () => {
    const { take } = setUp();
    take([limit], 'a', 1);
    const admission = take([limit], 'a', 0);
    assert.deepEqual([admission.allowed, admission.capacity, admission.remaining], [true, 10, 9]);
  });

  test('keeps a debt', () => {
    const { take } = setUp();
    take([limit], 'a', 0, 30);
    const refused = take([limit], 'a', 1);
    assert.deepEqual([refused.allowed, refused.retryInMs], [false, 105], '21 tokens at 200 a second');
  });
});

suite('at any sequence of requests', () => {
  const steps = fc.array(
    fc.record({
      wait: fc.double({ min: 0, max: 900, noNaN: true }),
      tries: fc.integer({ min: 1, max: 12 }),
      cost: fc.constantFrom(1, 1, 1, 2, 5, 40),
    }),
    { minLength: 1, maxLength: 50 },
  );
  const both: readonly Limit[] = [
    { name: 'second', windowMs: 1_000, capacity: 8 },
    { name: 'minute', windowMs: 60_000, capacity: 30 },
  ];

  test('no window of either limit sees more than capacity + rate * time, debts aside', () => {
    fc.assert(
      fc.property(steps, (script) => {
        const { take, pass } = setUp();
        const admitted: { at: number; before: number; cost: number }[] = [];
        let now = 0;
        let sum = 0;
        for (const { wait, tries, cost } of script) {
          pass(wait);
          now += wait;
          for (let i = 0; i < tries; i++) {
            if (!take(both, 'a', 0, cost).allowed) continue;
            admitted.push({ at: now, before: sum, cost });
            sum += cost;
          }
        }
        for (const { capacity, windowMs } of both) {
          const most = Number(capacity);
          for (const [first, from] of admitted.entries()) {
            for (const last of admitted.slice(first)) {
              // The last of a window may take more than there is, up to what it costs: that is the debt.
              const taken = last.before - from.before + Math.min(last.cost, most);
              assert.ok(taken <= most + ((last.at - from.at) * most) / windowMs + 1e-2);
            }
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  test('what one limit refuses takes nothing from the other', () => {
    fc.assert(
      fc.property(steps, (script) => {
        const { take, pass } = setUp();
        const alone = setUp();
        for (const { wait, tries, cost } of script) {
          pass(wait);
          alone.pass(wait);
          for (let i = 0; i < tries; i++) {
            // The minute is charged beside only when both said yes; then both stores have to agree for ever.
            if (take(both, 'a', 0, cost).allowed) assert.ok(alone.take(both.slice(1), 'a', 0, cost).allowed);
          }
        }
        const [left, expected] = [take(both.slice(1), 'a', 0), alone.take(both.slice(1), 'a', 0)];
        assert.deepEqual([left.allowed, left.remaining], [expected.allowed, expected.remaining]);
      }),
      { numRuns: 200 },
    );
  });

  test('minutes at the rate, an hour in the long run, lose at most one token to rounding', () => {
    for (const capacity of [1, 3, 17, 33, 170, 335, 1_670]) {
      const limit: Limit = { name: 'a', windowMs: 1_000, capacity };
      const { take, pass } = setUp();
      pass(123_456.789);
      let admitted = 0;
      // Steps that no double is a multiple of, so that each refill is rounded.
      const step = 1_000 / 3;
      const steps = roundsOf(900, 3 * 3_600);
      for (let i = 0; i < steps; i++) {
        while (take([limit], 'a', 0).allowed) admitted++;
        pass(step);
      }
      const most = capacity + ((steps - 1) * step * capacity) / 1_000;
      assert.ok(admitted <= most + 1e-2 && admitted >= most - 1.01, `${capacity}: ${admitted} of ${most}`);
    }
  });
});
