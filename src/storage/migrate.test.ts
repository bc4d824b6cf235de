import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';

const createTable = (name: string): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema.createTable(name).addColumn('id', 'text').execute();
  },
});

const failing: Migration = {
  up: () => Promise.reject(new Error('on purpose')),
};

async function tablesOf(db: Kysely<unknown>): Promise<readonly string[]> {
  const tables = await db.introspection.getTables();
  return tables.map((table) => table.name);
}

test('steps run once each, in order of name, and a failed run leaves nothing behind', async (context) => {
  const sqlite = await openSqlite({ path: ':memory:' });
  context.after(() => sqlite.close());
  const db = new Kysely<unknown>({ dialect: sqlite.dialect });
  await migrate(db, { '0001-a': createTable('a') });
  const broken = { '0001-a': createTable('a'), '0002-b': createTable('b'), '0003-c': failing };
  await assert.rejects(migrate(db, broken), /^Error: database: the schema cannot be .*on purpose/);
  assert.deepEqual(await tablesOf(db), ['a']);
  await migrate(db, { ...broken, '0003-c': createTable('c') });
  await migrate(db, { ...broken, '0003-c': createTable('c') });
  assert.deepEqual(await tablesOf(db), ['a', 'b', 'c']);
  await assert.rejects(migrate(db, { '0001-a': createTable('a') }), /newer version of Nestor/);
});

test('steps are listed in order and named by number and subject', () => {
  const names = Object.keys(migrations);
  assert.deepEqual(names, names.toSorted());
  for (const [index, name] of names.entries()) {
    assert.match(name, /^\d{4}-[a-z0-9-]+$/);
    assert.equal(Number(name.slice(0, 4)), index + 1);
  }
});
