import assert from 'node:assert/strict';
import { test } from 'node:test';

import { refuseControl, toValue } from './value.ts';

test('values that mean the same on both stores pass', () => {
  for (const value of [null, '', 'é\n', 0, -1.5, 5e-324, Number.MAX_SAFE_INTEGER])
    assert.equal(toValue(value), value);
  assert.equal(toValue(12n), 12);
  assert.equal(toValue('a\0b'), 'a\u{FFFD}b');
  const bytes = new Uint8Array([1, 2]);
  assert.deepEqual(toValue(bytes), bytes);
  assert.notEqual(toValue(bytes), bytes);
});

test('others are refused', () => {
  for (const value of [2 ** 53, -(2 ** 53), 2n ** 60n, 1e300, Number.NaN, Infinity]) {
    assert.throws(() => toValue(value), RangeError);
  }
  for (const value of [undefined, true, {}, [], Symbol('x'), new Date(0)]) {
    assert.throws(() => toValue(value), TypeError);
  }
});

test('transaction control by hand is told from what only looks like it', () => {
  for (const text of ['BEGIN', '\n start transaction', 'commit;', 'end', 'abort', 'release a']) {
    assert.throws(() => refuseControl(text), /db\.transaction\(\)/);
  }
  for (const text of ['select 1', 'update begins set a = 1', 'insert into commits values (1)'])
    refuseControl(text);
});
