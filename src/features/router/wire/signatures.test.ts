import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSignatures } from './signatures.ts';

test('a signature is found by its account and id only', () => {
  const signatures = createSignatures();
  signatures.keep('a', 'call', 'one');
  signatures.keep('b', 'call', 'two');
  assert.equal(signatures.find('a', 'call'), 'one');
  assert.equal(signatures.find('b', 'call'), 'two');
  assert.equal(signatures.find('c', 'call'), null);
  signatures.keep('a', 'call', 'three');
  assert.equal(signatures.find('a', 'call'), 'three');
});

test('the oldest go when there are too many', () => {
  const signatures = createSignatures(10_000);
  for (let index = 0; index < 100; index++) signatures.keep('a', `call ${index}`, 'x'.repeat(100));
  assert.equal(signatures.find('a', 'call 0'), null);
  assert.notEqual(signatures.find('a', 'call 99'), null);
  signatures.keep('a', 'huge', 'x'.repeat(20_000));
  assert.equal(signatures.find('a', 'huge'), null);
  assert.equal(signatures.find('a', 'call 99'), null);
});
