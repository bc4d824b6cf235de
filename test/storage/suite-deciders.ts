import assert from 'node:assert/strict';

import { createAccountStorage } from '../../src/kernel/store/account-storage.ts';
import type { Database } from '../../src/kernel/store/database.ts';
import { createDeciderStore, type DeciderRow } from '../../src/features/decisions/store/deciders.ts';

type It = (name: string, body: (database: Database) => Promise<void>) => void;

const anything = (): void => {};
const rowOf = (name: string, definition = '{}', updatedAtMs = 5) => ({
  name,
  definition,
  revision: `${name}-${updatedAtMs}`,
  updatedAtMs,
});
/** What a row counts beside its texts. */
const overhead = 256;

/** Deciders of accounts. */
export function deciderTests(it: It): void {
  it('a decider comes back as it was written, and is replaced with the time at which it was made', async ({
    db,
  }) => {
    const store = createDeciderStore(db);
    const first = await store.put('a', rowOf('x', '{"é":1}', 5), anything);
    assert.deepEqual(first, { ...rowOf('x', '{"é":1}', 5), createdAtMs: 5, fitId: null });
    assert.deepEqual(await store.find('a', 'x'), first);
    const second = await store.put('a', rowOf('x', '[]', 9), anything);
    assert.deepEqual(second, { ...rowOf('x', '[]', 9), createdAtMs: 5, fitId: null });
    assert.deepEqual(await store.list('a'), [second]);
  });

  it('deciders belong to one account and are listed by name', async ({ db }) => {
    const store = createDeciderStore(db);
    for (const name of ['c', 'a', 'b']) await store.put('one', rowOf(name), anything);
    await store.put('two', rowOf('a'), anything);
    const names = async (account: string) => (await store.list(account)).map(({ name }) => name);
    assert.deepEqual(await names('one'), ['a', 'b', 'c']);
    assert.equal(await store.remove('two', 'b', anything), false);
    assert.equal(await store.remove('two', 'a', anything), true);
    assert.deepEqual(await names('one'), ['a', 'b', 'c']);
    assert.deepEqual(await names('two'), []);
  });

  it('a change that its check refuses changes nothing', async ({ db }) => {
    const store = createDeciderStore(db);
    await store.put('a', rowOf('x'), anything);
    const seen: string[][] = [];
    const refuse = (rows: readonly DeciderRow[]) => {
      seen.push(rows.map(({ name, definition }) => `${name} ${definition}`));
      throw new Error('refused');
    };
    await assert.rejects(store.put('a', rowOf('x', '[]'), refuse), /refused/);
    await assert.rejects(store.put('a', rowOf('y'), refuse), /refused/);
    await assert.rejects(store.remove('a', 'x', refuse), /refused/);
    assert.deepEqual(seen, [['x []'], ['x {}', 'y {}'], []]);
    assert.deepEqual(
      (await store.list('a')).map(({ name, definition }) => `${name} ${definition}`),
      ['x {}'],
    );
  });

  it('of changes at once each sees those before it', async ({ db }) => {
    const store = createDeciderStore(db);
    const atMostFive = (rows: readonly DeciderRow[]) => {
      if (rows.length > 5) throw new Error('too many');
    };
    const puts = Array.from({ length: 12 }, (_, n) => store.put('a', rowOf(`n${n}`), atMostFive));
    const outcomes = await Promise.allSettled(puts);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 5);
    assert.equal((await store.list('a')).length, 5);
  });

  it('deciders count against the storage of their account', async ({ db }) => {
    const store = createDeciderStore(db);
    const storage = createAccountStorage(db);
    await store.put('a', rowOf('xy', '{}'), anything);
    assert.equal(await storage.bytesOf('a'), overhead + 2 + 2);
    await store.put('a', rowOf('xy', '{"a":1}', 6), anything);
    assert.equal(await storage.bytesOf('a'), overhead + 2 + 7);
    await store.remove('a', 'xy', anything);
    assert.equal(await storage.bytesOf('a'), 0);
    assert.deepEqual(await storage.recount(), []);
  });
}
