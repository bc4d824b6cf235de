import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { hashSecret } from '../../kernel/kit/ids.ts';
import { createAccountStorage } from '../../kernel/store/account-storage.ts';
import { createAccounts } from './store/accounts.ts';
import { createClosedAccounts } from './store/closed-accounts.ts';
import { openMadeStore } from '../../../test/support/made-store.ts';
import { createKeys } from './store/keys.ts';
import { createProcesses } from '../../kernel/store/processes.ts';
import { createPurchases } from './store/purchases.ts';
import { createAuthenticator } from './authenticator.ts';
import { openMaintenance } from './maintenance.ts';
import { until } from '../../../test/support/until.ts';

const [root, configured, token] = ['a-root-key-of-mine', 'a-configured-key', 'svc-some-generated-token'];

/** An account with a root key and a token in the store and a key of the configuration, as a server has them after its start. */
async function setUp(t: TestContext) {
  const database = await openMadeStore();
  t.after(() => database.close());
  const { db } = database;
  const [accounts, keys, processes] = [createAccounts(db), createKeys(db), createProcesses(db)];
  await accounts.create({ id: 'acme', name: 'acme', createdAtMs: 0 });
  for (const [secret, kind] of [
    [root, 'root'],
    [token, 'token'],
  ] as const) {
    const key = { hash: hashSecret(secret), accountId: 'acme', kind, name: null };
    await keys.insertIfAbsent({ ...key, last4: 'last', createdAtMs: 0 });
  }
  let time = 1_000_000;
  const clock = { now: () => time, monotonic: () => time };
  const authenticator = createAuthenticator({
    rootKeys: [root, configured].map((key) => ({
      hash: hashSecret(key),
      accountId: 'acme',
      creditsPurchasedUsd: 0,
      denied: [],
      isStored: key === root,
    })),
    findKey: (hash) => keys.findActive(hash),
    clock,
  });
  const storage = createAccountStorage(db);
  const options = { authenticator, accounts, keys, processes, storage, processId: 'one', clock };
  const maintenance = openMaintenance(options);
  return {
    db,
    keys,
    processes,
    authenticator,
    maintenance,
    another: (processId: string) => openMaintenance({ ...options, processId }),
    pass: (ms: number) => (time += ms),
  };
}

suite('maintenance', () => {
  test('a root key rises with what was purchased beside this process, and never falls', async (t) => {
    const { db, authenticator, maintenance } = await setUp(t);
    assert.equal((await authenticator.authenticate(root))?.tier, 0);
    const purchase = { id: 'p', accountId: 'acme', amountUsd: 500, note: '', createdAtMs: 1 };
    await createPurchases(db).add(purchase);
    await maintenance.refreshRoots();
    assert.equal((await authenticator.authenticate(root))?.tier, 3);
    await db.updateTable('accounts').set({ credits_purchased_usd: 10 }).execute();
    await maintenance.refreshRoots();
    assert.equal((await authenticator.authenticate(root))?.tier, 3);
    await maintenance.close();
  });

  test('a configured root key whose account was closed beside this process is nobody', async (t) => {
    const { db, authenticator, maintenance } = await setUp(t);
    await maintenance.refreshRoots();
    assert.equal((await authenticator.authenticate(configured))?.accountId, 'acme');
    await createClosedAccounts(db).close('acme', 5, false);
    await maintenance.refreshRoots();
    for (const key of [configured, root]) assert.equal(await authenticator.authenticate(key), null);
    await maintenance.close();
  });

  test('a stored root key that was revoked beside this process is nobody', async (t) => {
    const { keys, authenticator, maintenance } = await setUp(t);
    await maintenance.refreshRoots();
    assert.equal((await authenticator.authenticate(root))?.accountId, 'acme');
    await keys.revoke(hashSecret(root), 5);
    await maintenance.refreshRoots();
    assert.equal(await authenticator.authenticate(root), null);
    await maintenance.close();
  });

  test('keys are noted as used once for many uses, the last ones at the end', async (t) => {
    const { keys, authenticator, maintenance, pass } = await setUp(t);
    for (let i = 0; i < 100; i++) await authenticator.authenticate(token);
    assert.equal(await authenticator.authenticate('svc-nobody-knows-me'), null);
    await maintenance.noteUse();
    const usedAt = async (secret: string) => (await keys.find(hashSecret(secret)))?.lastUsedAtMs;
    assert.deepEqual([await usedAt(token), await usedAt(root)], [1_000_000, null]);
    pass(5_000);
    await maintenance.noteUse();
    assert.equal(await usedAt(token), 1_000_000, 'it was not used since');
    await authenticator.authenticate(root);
    await maintenance.close();
    assert.equal(await usedAt(root), 1_005_000);
  });

  test('a process is listed while it lives and says when it ends', async (t) => {
    const { processes, maintenance, another } = await setUp(t);
    const two = another('two');
    const listed = async () => (await processes.list(0)).map(({ id }) => id);
    await until(async () => (await listed()).length === 2);
    await two.close();
    assert.deepEqual(await listed(), ['one']);
    await maintenance.close();
    assert.deepEqual(await listed(), []);
  });
});
