import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLimiter, type Limit } from './limiter.ts';

const second: Limit = { name: 'agent-second', windowMs: 1_000, capacity: [1, 3] };
const minute: Limit = { name: 'agent-minute', windowMs: 60_000, capacity: [50, 150] };

function setUp(options: { enabled?: boolean; overrides?: Record<string, number> } = {}) {
  let time = 0;
  const clock = { now: () => time, monotonic: () => time };
  const { enabled = true, overrides = {} } = options;
  return { limiter: createLimiter({ clock, enabled, overrides }), pass: (ms: number) => (time += ms) };
}

test('two limits are taken together or not at all', () => {
  const { limiter, pass } = setUp();
  assert.equal(limiter.take([second, minute], 'a', 0).allowed, true);
  assert.equal(limiter.take([second, minute], 'a', 0).allowed, false);
  pass(1_000);
  const admission = limiter.take([minute], 'a', 0);
  // 50 less the two that passed, and the refill of one second: the refused request took nothing.
  assert.equal(admission.remaining, 48);
});

test('a tier decides the capacity and an override replaces it', () => {
  const { limiter } = setUp();
  assert.equal(limiter.take([second], 'a', 1).capacity, 3);
  assert.equal(limiter.take([second], 'b', 5).capacity, 3);
  const { limiter: own } = setUp({ overrides: { 'agent-second': 7 } });
  assert.equal(own.take([second], 'a', 0).capacity, 7);
});

test('subjects have buckets of their own', () => {
  const { limiter } = setUp();
  assert.equal(limiter.take([second], 'a', 0).allowed, true);
  assert.equal(limiter.take([second], 'b', 0).allowed, true);
  assert.equal(limiter.take([second], 'a', 0).allowed, false);
});

test('the bucket with the smaller share left is told, on refusal the one that refused', () => {
  const { limiter } = setUp();
  assert.equal(limiter.take([second, minute], 'a', 1).capacity, 3);
  const { limiter: tight } = setUp({ overrides: { 'agent-minute': 1 } });
  assert.equal(tight.take([second, minute], 'a', 1).allowed, true);
  const refused = tight.take([second, minute], 'a', 1);
  assert.deepEqual([refused.allowed, refused.capacity, refused.retryInMs], [false, 1, 60_000]);
});

test('of two equally filled buckets the per-second one is told', () => {
  const { limiter } = setUp({ overrides: { 'agent-minute': 3, 'agent-second': 3 } });
  assert.equal(limiter.take([second, minute], 'a', 1).fullInMs, 1_000 / 3);
});

test('a limiter that is switched off refuses nobody and still counts', () => {
  const { limiter } = setUp({ enabled: false });
  limiter.take([second], 'a', 0);
  const admission = limiter.take([second], 'a', 0);
  assert.deepEqual([admission.allowed, admission.remaining], [true, 0]);
});

test('buckets that are full again are forgotten', () => {
  const { limiter, pass } = setUp();
  for (let i = 0; i < 25_000; i++) {
    limiter.take([second], `address ${i}`, 0);
    if (i % 5_000 === 0) pass(2_000);
  }
  assert.equal(limiter.take([second], 'address 0', 0).allowed, true);
});
