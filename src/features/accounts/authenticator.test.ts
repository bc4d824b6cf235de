import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../kernel/faults.ts';
import { hashSecret } from '../../kernel/kit/ids.ts';
import { createAuthenticator, leaseMs, staleMaxMs, type AuthenticatorOptions } from './authenticator.ts';
import { tierOf } from './key-records.ts';

const rootKey = 'a-root-key-of-mine';
const token = 'svc-some-generated-token';
const stored = { hash: hashSecret(token), accountId: 'acme', creditsPurchasedUsd: 50 };

function setUp(findKey: AuthenticatorOptions['findKey'] = async () => stored) {
  let time = 0;
  let asked = 0;
  const authenticator = createAuthenticator({
    rootKeys: [
      {
        hash: hashSecret(rootKey),
        accountId: 'acme',
        creditsPurchasedUsd: 250,
        denied: ['chat'],
        isStored: false,
      },
    ],
    findKey: (hash) => {
      asked++;
      return findKey(hash);
    },
    clock: { now: () => time, monotonic: () => time },
  });
  return { ...authenticator, pass: (ms: number) => (time += ms), asked: () => asked };
}

suite('root keys', () => {
  test('speak for their account, in its tier, without the store', async () => {
    const { authenticate, asked } = setUp();
    const principal = await authenticate(rootKey);
    assert.deepEqual([principal?.accountId, principal?.tier, principal?.denied], ['acme', 2, ['chat']]);
    assert.equal(asked(), 0);
  });

  test('have a handle that opens nothing', async () => {
    const { authenticate } = setUp(async () => undefined);
    const keyId = (await authenticate(rootKey))?.keyId ?? '';
    assert.equal(await authenticate(keyId), null);
    assert.equal(rootKey.includes(keyId), false);
  });

  test('rise with the credits of their account, at the next request', async () => {
    const { authenticate, raiseCredits } = setUp();
    assert.equal((await authenticate(token))?.tier, 1);
    raiseCredits('acme', 1_000);
    raiseCredits('acme', 250);
    assert.equal((await authenticate(rootKey))?.tier, 4);
  });
});

suite('keys of the store', () => {
  test('an unknown, altered, empty or overlong key is nobody', async () => {
    const { authenticate } = setUp(async () => undefined);
    const wrong = ['', 'x', rootKey.slice(1), `${rootKey} `, rootKey.toUpperCase(), 'k'.repeat(1e6)];
    for (const key of wrong) assert.equal(await authenticate(key), null);
  });

  test('are asked for once, and renewed in the background while they keep coming', async () => {
    const { authenticate, pass, asked } = setUp();
    assert.equal((await authenticate(token))?.accountId, 'acme');
    for (let i = 0; i < 100; i++) assert.ok(!(authenticate(token) instanceof Promise));
    assert.equal(asked(), 1);
    pass(leaseMs * 0.6);
    assert.ok(!(authenticate(token) instanceof Promise));
    assert.equal(asked(), 2);
  });

  test('that come together are one question', async () => {
    const { authenticate, asked } = setUp();
    await Promise.all(Array.from({ length: 50 }, async () => authenticate(token)));
    assert.equal(asked(), 1);
  });

  test('once forgotten are asked for anew, even while an older question is under way', async () => {
    const [first, second] = [0, 1].map(() => Promise.withResolvers<typeof stored | undefined>());
    const { authenticate, forgetKey, asked } = setUp(async () => (asked() === 1 ? first : second)?.promise);
    const before = authenticate(token);
    forgetKey(stored.hash);
    const after = authenticate(token);
    second?.resolve(undefined);
    assert.equal(await after, null);
    first?.resolve(stored);
    await before;
    assert.equal(await authenticate(token), null, 'the late answer is not remembered');
  });

  test('that were good keep working while the store is down, up to an age; others are 503 and never let in', async () => {
    let down = false;
    const { authenticate, pass } = setUp(() =>
      down ? Promise.reject(new Error('gone')) : Promise.resolve(stored),
    );
    await authenticate(token);
    down = true;
    pass(staleMaxMs - 1);
    assert.equal((await authenticate(token))?.accountId, 'acme');
    const isUnavailable = (error: unknown) => error instanceof Fault && error.code === 'service_unavailable';
    await assert.rejects(async () => authenticate('svc-another-token'), isUnavailable);
    pass(2);
    await assert.rejects(async () => authenticate(token), isUnavailable);
  });

  test('are remembered up to a bound', async () => {
    const { authenticate, asked } = setUp(async () => undefined);
    for (let i = 0; i < 10_050; i++) await authenticate(`guess-${i}`);
    await authenticate('guess-10049');
    assert.equal(asked(), 10_050);
    await authenticate('guess-0');
    assert.equal(asked(), 10_051);
  });
});

test('tiers begin at their thresholds', () => {
  const credits = [0, 49.99, 50, 249, 250, 500, 999, 1_000, 4_999.99, 5_000, 1e9];
  assert.deepEqual(credits.map(tierOf), [0, 0, 1, 1, 2, 3, 3, 4, 4, 5, 5]);
});
