import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toLogged } from './log.ts';

const written = (error: Error) => JSON.parse(JSON.stringify(toLogged(error))) as Record<string, unknown>;

test('what an abort came from is logged without the codes of every other', () => {
  const { stack, ...rest } = written(
    new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
  );
  assert.deepEqual(rest, { type: 'DOMException', message: 'The operation was aborted due to timeout' });
  assert.match(String(stack), /^TimeoutError: The operation/);
});

test('other errors are logged with their causes and fields', () => {
  const error = Object.assign(new Error('away', { cause: new TypeError('refused') }), {
    code: 'ECONNREFUSED',
  });
  const { message, code, stack } = written(error);
  assert.deepEqual([message, code], ['away: refused', 'ECONNREFUSED']);
  assert.match(String(stack), /caused by: TypeError: refused/);
});
