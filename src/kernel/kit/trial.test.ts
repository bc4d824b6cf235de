import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTrial } from './trial.ts';

test('a trial tells why there was no connection, wherever in the causes it stands', () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const cause = new Error('fetch failed', { cause: new Error('socket', { cause: refused }) });
  assert.deepEqual(toTrial({ ok: false, status: null, failure: 'connect', cause }, 3), {
    tookMs: 3,
    failure: 'connect',
    status: null,
    code: 'ECONNREFUSED',
  });
  assert.equal(toTrial({ ok: false, status: 401, failure: 'status', cause: 'text' }, 3).code, null);
});

test('an answer is no failure', () => {
  assert.deepEqual(toTrial({ ok: true, status: 200 }, 12), {
    tookMs: 12,
    failure: null,
    status: 200,
    code: null,
  });
});
