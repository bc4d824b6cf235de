import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOf, shareOf } from './wire.ts';

test('an address that Nestor made up is no place to go to', () => {
  assert.equal(placeOf({ url: 'nestor:document/doc_1' }), null);
  assert.equal(placeOf({ url: 'https://wiki.example.com/van' }), 'https://wiki.example.com/van');
});

test('a share of a limit stays between nothing and all, and little is not shown as nothing', () => {
  assert.equal(shareOf(0, 1_000), 0);
  assert.equal(shareOf(1, 1_000_000), 1);
  assert.equal(shareOf(250, 1_000), 25);
  assert.equal(shareOf(2_000, 1_000), 100);
  assert.equal(shareOf(0, 0), 0);
  assert.equal(shareOf(1, 0), 100);
});
