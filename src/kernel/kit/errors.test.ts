import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { errorCode, errorMessage } from './errors.ts';

test('the code of an error of the system is told, and of nothing else', () => {
  assert.throws(
    () => readFileSync('/no/such/file'),
    (error) => errorCode(error) === 'ENOENT',
  );
  for (const other of [
    new Error('a'),
    new DOMException('a', 'AbortError'),
    { code: 'ENOENT' },
    null,
    'ENOENT',
  ])
    assert.equal(errorCode(other), null);
});

test('an error says its message, and anything else that was thrown itself', () => {
  assert.deepEqual(
    [errorMessage(new TypeError('a')), errorMessage('b'), errorMessage(null)],
    ['a', 'b', 'null'],
  );
});
