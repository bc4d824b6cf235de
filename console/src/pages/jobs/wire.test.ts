import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIdempotencyKey, durationOf, isUnderWay, type JobSummary } from './wire.ts';

const job: JobSummary = {
  id: 'a',
  model: 'svc',
  status: 'CREATED',
  created_at: 100,
  started_at: null,
  completed_at: null,
  failed_at: null,
};

test('how long a job ran is told once it has ended', () => {
  assert.equal(durationOf(job), '');
  assert.equal(durationOf({ ...job, started_at: 110 }), '');
  assert.equal(durationOf({ ...job, started_at: 110, completed_at: 112 }), '2 s');
  assert.equal(durationOf({ ...job, started_at: 110, failed_at: 235 }), '2 min 5 s');
  assert.equal(durationOf({ ...job, failed_at: 235 }), '');
});

test('a job is under way until it has ended', () => {
  const states = (['CREATED', 'IN_PROGRESS', 'COMPLETED', 'FAILED'] as const).map((status) =>
    isUnderWay({ status }),
  );
  assert.deepEqual(states, [true, true, false, false]);
});

test('no two keys are the same', () => {
  const keys = Array.from({ length: 100 }, createIdempotencyKey);
  assert.equal(new Set(keys).size, 100);
  for (const key of keys) assert.match(key, /^console-[0-9a-f]{16}$/);
});
