import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toFailure } from './call-failure.ts';
import type { OutboundFailure } from './outbound-request.ts';

const read = (failure: OutboundFailure, status: number | null = null) => {
  const outcome = { ok: false, failure, status, headers: {}, body: null, cause: null } as const;
  const { kind, retryable, away } = toFailure(outcome, 0);
  return [kind, retryable, away];
};

test('an outcome is read as what a caller may hope for, and whether the server itself is away', () => {
  assert.deepEqual(read('connect'), ['unavailable', true, true]);
  assert.deepEqual(read('timeout'), ['timeout', false, true]);
  assert.deepEqual(read('cut', 200), ['unusable', true, false]);
  assert.deepEqual(read('not_json', 200), ['unusable', false, false]);
  assert.deepEqual(read('too_large', 200), ['unusable', false, false]);
  for (const status of [503, 529]) assert.deepEqual(read('status', status), ['unavailable', true, true]);
  for (const status of [502, 504]) assert.deepEqual(read('status', status), ['unusable', true, true]);
  assert.deepEqual(read('status', 429), ['unavailable', true, false]);
  for (const status of [408, 500]) assert.deepEqual(read('status', status), ['unusable', true, false]);
  for (const status of [301, 302, 400, 401, 403, 404, 413, 422])
    assert.deepEqual(read('status', status), ['unusable', false, false], `${status}`);
});
