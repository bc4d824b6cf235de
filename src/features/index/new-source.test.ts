import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parsePlace, parseRhythm, toRhythm } from './new-source.ts';

test('a place is a path below the working folder or an address without its fragment', () => {
  assert.deepEqual(parsePlace('handbook', '/srv'), { kind: 'folder', location: '/srv/handbook' });
  assert.deepEqual(parsePlace('/data/./a/', '/srv'), { kind: 'folder', location: '/data/a' });
  assert.deepEqual(parsePlace('HTTPS://Example.com/a#b', '/srv'), {
    kind: 'web',
    location: 'https://example.com/a',
  });
  for (const word of ['ftp://a/', 'file:///etc', 'http://', 'https://user@a/', 'https://user:secret@a/'])
    assert.throws(() => parsePlace(word, '/srv'), {
      name: 'Fault',
      code: 'invalid_value',
      param: 'location',
    });
});

test('a rhythm is told as it was given, in the largest unit that fits', () => {
  for (const text of ['1m', '30m', '90m', '12h', '36h', '1d', '9999d']) {
    const ms = parseRhythm(text);
    assert.ok(ms !== null && ms >= 60_000);
    assert.equal(parseRhythm(toRhythm(ms)), ms, text);
  }
  assert.deepEqual(
    ['60m', '24h', '90m', '1d'].map((text) => toRhythm(parseRhythm(text) ?? 0)),
    ['1h', '1d', '90m', '1d'],
  );
  for (const text of ['', '0m', '0d', '5s', '1', 'm', '1.5h', '-1h', '12345m', '1h ', '1H'])
    assert.equal(parseRhythm(text), null, text);
});
