import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSecret } from '../kit/ids.ts';
import { createAuthenticator } from './authenticator.ts';
import { tierOf } from './tiers.ts';

const key = 'a-root-key-of-mine';
const authenticator = createAuthenticator([
  { hash: hashSecret(key), accountId: 'acme', creditsPurchasedUsd: 250, denied: ['chat'] },
]);

test('a known key speaks for its account, in its tier', () => {
  const principal = authenticator.authenticate(key);
  assert.equal(principal?.accountId, 'acme');
  assert.equal(principal.tier, 2);
  assert.deepEqual(principal.denied, ['chat']);
});

test('the handle of a key opens nothing', () => {
  const keyId = authenticator.authenticate(key)?.keyId ?? '';
  assert.equal(authenticator.authenticate(keyId), null);
  assert.equal(key.includes(keyId), false);
});

test('an unknown, altered, empty or overlong key is nobody', () => {
  for (const wrong of [
    '',
    'x',
    key.slice(1),
    `${key} `,
    key.toUpperCase(),
    hashSecret(key),
    'k'.repeat(1e6),
  ]) {
    assert.equal(authenticator.authenticate(wrong), null);
  }
});

test('tiers begin at their thresholds', () => {
  const credits = [0, 49.99, 50, 249, 250, 500, 999, 1_000, 4_999.99, 5_000, 1e9];
  assert.deepEqual(credits.map(tierOf), [0, 0, 1, 1, 2, 3, 3, 4, 4, 5, 5]);
});
