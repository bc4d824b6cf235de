import assert from 'node:assert/strict';
import { test } from 'node:test';

import { types } from 'pg';

import { createTypes } from './types.ts';

test('integers, sums and truth come as SQLite gives them; what is ours to refuse is refused', () => {
  const getTypeParser = createTypes(types).getTypeParser as (oid: number) => (text: string) => unknown;
  const parse = (oid: number, text: string): unknown => getTypeParser(oid)(text);
  assert.equal(parse(20, '9007199254740991'), Number.MAX_SAFE_INTEGER);
  assert.equal(parse(20, '-9007199254740991'), Number.MIN_SAFE_INTEGER);
  assert.throws(() => parse(20, '9007199254740992'), /2\^53/);
  assert.throws(() => parse(1_700, '99999999999999999999'), /2\^53/);
  assert.equal(parse(1_700, '12'), 12);
  assert.equal(parse(1_700, '1.5'), 1.5);
  assert.equal(parse(701, '5e-324'), 5e-324);
  assert.equal(parse(23, '7'), 7);
  assert.equal(parse(25, 'text'), 'text');
  assert.deepEqual([parse(16, 't'), parse(16, 'f')], [1, 0]);
});
