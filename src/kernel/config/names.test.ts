import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findNearest, toCamelName, toPath } from './names.ts';

test('names become camelCase with their unit', () => {
  assert.equal(toCamelName('credits_purchased_usd'), 'creditsPurchasedUsd');
  assert.equal(toCamelName('timeout_s'), 'timeoutS');
  assert.equal(toCamelName('port'), 'port');
});

test('a path names indices in brackets and quotes what would be ambiguous', () => {
  assert.equal(toPath(toPath(toPath('', 'keys'), 0), 'deny'), 'keys[0].deny');
  assert.equal(toPath('models', 'a.b'), 'models["a.b"]');
});

test('the nearest name is one that differs little, by any kind of slip', () => {
  const names = ['port', 'host', 'shutdown_grace_s', 'providers'];
  assert.equal(findNearest('prot', names), 'port');
  assert.equal(findNearest('provider', names), 'providers');
  assert.equal(findNearest('shutdown-grace', names), 'shutdown_grace_s');
  assert.equal(findNearest('PORT', names), 'port');
  assert.equal(findNearest('colour', names), undefined);
  assert.equal(findNearest('', []), undefined);
});
