import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { sql } from 'kysely';

import { hashSecret } from '../../src/kernel/kit/ids.ts';
import { createAccounts, type Account } from '../../src/features/accounts/store/accounts.ts';
import type { Database } from '../../src/kernel/store/database.ts';
import { createKeys, type NewKey } from '../../src/features/accounts/store/keys.ts';
import { transact } from '../../src/kernel/store/transact.ts';
import { jobTests } from './suite-jobs.ts';
import { batchTests } from './suite-batches.ts';
import { deciderTests } from './suite-deciders.ts';
import { learningTests } from './suite-learning.ts';
import { conversationTests } from './suite-conversations.ts';
import { removalTests } from './suite-removal.ts';
import { storageTests } from './suite-storage.ts';
import { durationTests } from './suite-durations.ts';
import { meteringTests } from './suite-metering.ts';

const acme: Account = { id: 'acme', name: 'Acme', createdAtMs: 1_700_000_000_000, creditsPurchasedUsd: 50 };

function keyOf(secret: string, over: Partial<NewKey> = {}): NewKey {
  const key = { accountId: 'acme', kind: 'token', name: null, createdAtMs: 1_700_000_000_001 } as const;
  return { ...key, hash: hashSecret(secret), last4: secret.slice(-4), ...over };
}

/** What every store guarantees. `open` gives an empty one. */
export function storageSuite(name: string, open: () => Promise<Database>): void {
  suite(`storage on ${name}`, () => {
    accountTests(open);
    keyTests(open);
    statementTests(open);
    meteringTests((name, body) => it(name, open, body));
    durationTests((name, body) => it(name, open, body));
    jobTests((name, body) => it(name, open, body));
    storageTests((name, body) => it(name, open, body));
    conversationTests((name, body) => it(name, open, body));
    deciderTests((name, body) => it(name, open, body));
    learningTests((name, body) => it(name, open, body));
    batchTests((name, body) => it(name, open, body));
    removalTests((name, body) => it(name, open, body));
  });
}

function it(name: string, open: () => Promise<Database>, body: (database: Database) => Promise<void>): void {
  test(name, async () => {
    const database = await open();
    try {
      await body(database);
    } finally {
      await database.close();
    }
  });
}

function accountTests(open: () => Promise<Database>): void {
  it('an account comes back as it was written', open, async ({ db }) => {
    const accounts = createAccounts(db);
    const exact = { ...acme, creditsPurchasedUsd: 0.1 + 0.2 };
    assert.deepEqual(await accounts.ensure(exact), exact);
    assert.deepEqual(await accounts.get('acme'), exact);
    assert.equal(await accounts.get('other'), undefined);
  });

  it('credits never fall and the creation time stays', open, async ({ db }) => {
    const accounts = createAccounts(db);
    await accounts.ensure(acme);
    const later = { ...acme, name: 'Acme Ltd', createdAtMs: acme.createdAtMs + 5 };
    const lowered = await accounts.ensure({ ...later, creditsPurchasedUsd: 1 });
    assert.deepEqual(lowered, { ...acme, name: 'Acme Ltd' });
    const raised = await accounts.ensure({ ...later, creditsPurchasedUsd: 5_000 });
    assert.equal(raised.creditsPurchasedUsd, 5_000);
  });
}

function keyTests(open: () => Promise<Database>): void {
  it('an active key is found with the credits of its account', open, async ({ db }) => {
    const keys = createKeys(db);
    await createAccounts(db).ensure(acme);
    const key = keyOf('svc-one', { name: 'ci' });
    assert.equal(await keys.insertIfAbsent(key), true);
    assert.deepEqual(await keys.findActive(key.hash), {
      ...key,
      revokedAtMs: null,
      lastUsedAtMs: null,
      creditsPurchasedUsd: 50,
    });
    assert.equal(await keys.findActive(hashSecret('svc-two')), undefined);
    await createAccounts(db).ensure({ ...acme, creditsPurchasedUsd: 250 });
    assert.equal((await keys.findActive(key.hash))?.creditsPurchasedUsd, 250);
  });

  it('a key is inserted once and keeps its owner', open, async ({ db }) => {
    const keys = createKeys(db);
    await createAccounts(db).ensure(acme);
    await createAccounts(db).ensure({ ...acme, id: 'rival' });
    const key = keyOf('svc-one');
    const inserted = await Promise.all([keys.insertIfAbsent(key), keys.insertIfAbsent(key)]);
    assert.equal(inserted.filter(Boolean).length, 1);
    assert.equal(await keys.insertIfAbsent({ ...key, accountId: 'rival' }), false);
    assert.equal((await keys.find(key.hash))?.accountId, 'acme');
  });

  it('a revoked token is no longer active, and is revoked once', open, async ({ db }) => {
    const keys = createKeys(db);
    await createAccounts(db).ensure(acme);
    const key = keyOf('svc-one');
    await keys.insertIfAbsent(key);
    assert.equal(await keys.revoke(key.hash, 1_000), true);
    assert.equal(await keys.findActive(key.hash), undefined);
    assert.equal(await keys.revoke(key.hash, 2_000), false);
    assert.equal((await keys.find(key.hash))?.revokedAtMs, 1_000);
    assert.equal(await keys.insertIfAbsent(key), false);
    assert.equal(await keys.findActive(key.hash), undefined);
    assert.equal(await keys.revoke(hashSecret('unknown'), 1_000), false);
  });

  it('keys are listed for their own account only, oldest first', open, async ({ db }) => {
    const keys = createKeys(db);
    await createAccounts(db).ensure(acme);
    await createAccounts(db).ensure({ ...acme, id: 'rival' });
    const second = keyOf('b', { createdAtMs: 2 });
    const first = keyOf('a', { createdAtMs: 1, kind: 'root' });
    for (const key of [second, first, keyOf('c', { accountId: 'rival' })]) await keys.insertIfAbsent(key);
    await keys.revoke(second.hash, 9);
    const listed = await keys.list('acme');
    assert.deepEqual(listed, [
      { ...first, revokedAtMs: null, lastUsedAtMs: null },
      { ...second, revokedAtMs: 9, lastUsedAtMs: null },
    ]);
    assert.deepEqual(await keys.list('nobody'), []);
  });

  it('a root key counts while it is not revoked', open, async ({ db }) => {
    const keys = createKeys(db);
    await createAccounts(db).ensure(acme);
    await keys.insertIfAbsent(keyOf('token'));
    assert.equal((await keys.listActiveRoots()).length > 0, false);
    const root = keyOf('root', { kind: 'root' });
    await keys.insertIfAbsent(root);
    assert.equal((await keys.listActiveRoots()).length > 0, true);
    await keys.revoke(root.hash, 1);
    assert.equal((await keys.listActiveRoots()).length > 0, false);
  });

  it('a plain key, a key without account and a foreign kind are refused', open, async ({ db }) => {
    const keys = createKeys(db);
    await createAccounts(db).ensure(acme);
    await assert.rejects(keys.insertIfAbsent({ ...keyOf('x'), hash: 'svc-plain' }), /SHA-256/);
    await assert.rejects(keys.insertIfAbsent(keyOf('x', { accountId: 'nobody' })), /foreign key/i);
    const row = { account_id: 'acme', kind: 'token', last4: 'abcd', created_at_ms: 1 } as const;
    await assert.rejects(
      db
        .insertInto('keys')
        .values({ ...row, hash: 'svc-plain' })
        .execute(),
      /keys_hash/,
    );
    const other = sql`update keys set kind = 'admin'`;
    await keys.insertIfAbsent(keyOf('x'));
    await assert.rejects(other.execute(db), /keys_kind/);
  });
}

function statementTests(open: () => Promise<Database>): void {
  it('a statement that fails does not undo its neighbours', open, async ({ db }) => {
    const keys = createKeys(db);
    await createAccounts(db).ensure(acme);
    const results = await Promise.allSettled([
      keys.insertIfAbsent(keyOf('a')),
      keys.insertIfAbsent(keyOf('b', { accountId: 'nobody' })),
      sql`select from where`.execute(db),
      keys.insertIfAbsent(keyOf('c')),
    ]);
    assert.deepEqual(
      results.map((result) => result.status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    );
    assert.equal((await keys.list('acme')).length, 2);
  });

  it('a transaction that throws leaves nothing behind', open, async ({ db }) => {
    const failed = db.transaction().execute(async (transaction) => {
      await createAccounts(transaction).ensure(acme);
      throw new Error('on purpose');
    });
    await assert.rejects(failed, /on purpose/);
    assert.equal(await createAccounts(db).get('acme'), undefined);
  });

  it('two transactions that read and then write lose no update', open, async ({ db }) => {
    await createAccounts(db).ensure({ ...acme, creditsPurchasedUsd: 0 });
    const addOne = async (): Promise<void> => {
      await transact(db, async (transaction) => {
        const accounts = createAccounts(transaction);
        const before = await accounts.get('acme');
        assert.ok(before);
        await accounts.ensure({ ...before, creditsPurchasedUsd: before.creditsPurchasedUsd + 1 });
      });
    };
    await Promise.all(Array.from({ length: 10 }, addOne));
    assert.equal((await createAccounts(db).get('acme'))?.creditsPurchasedUsd, 10);
  });

  it('closing waits for what was accepted and refuses what comes later', open, async (database) => {
    const accounts = createAccounts(database.db);
    const writes = Array.from({ length: 50 }, (_, index) => accounts.ensure({ ...acme, id: `a${index}` }));
    const slow = database.db.transaction().execute(async (transaction) => {
      await createAccounts(transaction).ensure({ ...acme, id: 'in a transaction' });
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
      return createAccounts(transaction).get('a49');
    });
    assert.equal(database.health(), 'ok');
    await database.close();
    assert.equal((await Promise.all(writes)).length, 50);
    assert.equal((await slow)?.id, 'a49');
    assert.equal(database.health(), 'down');
    await assert.rejects(accounts.get('a1'));
    await database.close();
  });
}
