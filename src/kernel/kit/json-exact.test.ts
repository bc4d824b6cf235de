import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { parseExact } from './json-exact.ts';

test('numbers are written on with every digit that they came with', () => {
  for (const text of [
    '{"id":12345678901234567890}',
    '[-9007199254740993,3.14159265358979323846,1e400,0.1]',
    '[1234567.123456789012,-12345678901234.25]',
    '{"__proto__":[{"a":[18446744073709551615]}],"b":"12345678901234567890"}',
    '99999999999999999999',
    '{"a":1,"b":[]}',
  ])
    assert.equal(JSON.stringify(parseExact(text)), text);
});

test('any other value is what JSON.parse makes of it', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.deepEqual(JSON.parse(JSON.stringify(parseExact(text))), JSON.parse(text));
    }),
  );
  assert.throws(() => parseExact('{"a":12345678901234567890'), SyntaxError);
});
