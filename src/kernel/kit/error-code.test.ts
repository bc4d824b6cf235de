import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { errorCode } from './error-code.ts';

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
