import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { createAccounts } from '../../features/accounts/store/accounts.ts';
import { openDatabase, type Database } from './database.ts';
import { StatementError } from './errors.ts';
import { transact } from './transact.ts';

async function open(context: TestContext): Promise<Database> {
  const database = await openDatabase('sqlite::memory:', { dataFolder: '/nowhere' });
  context.after(() => database.close());
  return database;
}

const add = (id: string) => ({ id, name: id, createdAtMs: 1 });

test('what lost against another transaction is repeated, and only once kept', async (context) => {
  const { db } = await open(context);
  let runs = 0;
  const result = await transact(db, async (transaction) => {
    await createAccounts(transaction).create(add('a'));
    if (++runs < 4) throw new StatementError('could not serialize', 'conflict', '');
    return 'done';
  });
  assert.deepEqual([result, runs], ['done', 4]);
  assert.equal((await createAccounts(db).list()).length, 1);
});

test('other failures are not repeated, and an open transaction is joined', async (context) => {
  const { db } = await open(context);
  let runs = 0;
  const failing = transact(db, () => {
    runs++;
    return Promise.reject(new StatementError('no', 'unique', ''));
  });
  await assert.rejects(failing, /no/);
  assert.equal(runs, 1);
  const outer = db.transaction().execute(async (transaction) => {
    await transact(transaction, (inner) => createAccounts(inner).create(add('b')));
    throw new Error('outer');
  });
  await assert.rejects(outer, /outer/);
  assert.equal(await createAccounts(db).get('b'), undefined);
});
