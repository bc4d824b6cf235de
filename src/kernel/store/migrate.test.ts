import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

import { createAccounts } from '../../features/accounts/store/accounts.ts';
import { createKeys } from '../../features/accounts/store/keys.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import type { Schema } from './schema.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import { createUsage } from '../../features/accounts/store/usage.ts';

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

test('a store of the first version keeps its accounts and keys', async (context) => {
  const sqlite = await openSqlite({ path: ':memory:' });
  context.after(() => sqlite.close());
  const db = new Kysely<Schema>({ dialect: sqlite.dialect });
  const [first] = Object.entries(migrations);
  assert.ok(first);
  await migrate(db, Object.fromEntries([first]));
  await sql`insert into accounts values ('acme', 'Acme', 1, 250)`.execute(db);
  const hash = 'a'.repeat(64);
  await sql`insert into keys values (${hash}, 'acme', 'root', null, 'abcd', 1, null)`.execute(db);
  await migrate(db, migrations);
  const acme = { id: 'acme', name: 'Acme', createdAtMs: 1 };
  const raised = await createAccounts(db).ensure({ ...acme, creditsPurchasedUsd: 300 });
  assert.equal(raised.creditsPurchasedUsd, 300);
  assert.equal((await createKeys(db).findActive(hash))?.lastUsedAtMs, null);
});

test('a ledger that was there before has its sums by day, whatever numbers are in it', async (context) => {
  const sqlite = await openSqlite({ path: ':memory:' });
  context.after(() => sqlite.close());
  const db = new Kysely<Schema>({ dialect: sqlite.dialect });
  const before = Object.entries(migrations).filter(([name]) => name < '0007');
  await migrate(db, Object.fromEntries(before));
  const insert = (id: string, model: string | null, input: number, createdAtMs: number) =>
    sql`insert into usage values
      (${id}, 'acme', 'k', 'o', ${model}, ${input}, 1, null, 0.5, '{}', ${id}, 200, 1, ${createdAtMs})`.execute(
      db,
    );
  const noon = Date.UTC(2026, 0, 31, 12);
  for (let n = 0; n < 10; n++) await insert(`r${n}`, n % 2 === 0 ? null : 'm', n, noon + n * 3_600_000);
  // As earlier versions could leave them: SQLite keeps a number that is too large for an integer.
  await sql`insert into usage values
    ('wild', 'wild', 'k', 'o', 'm', 1e300, 1, null, 0.5, '{}', 'wild', 200, 1, ${noon})`.execute(db);
  await migrate(db, migrations);
  const usage = createUsage(db);
  const sums = { requests: 6, inputTokens: 15, outputTokens: 6, costUsd: 3 };
  assert.deepEqual(await usage.totals({ by: ['day', 'model'], accountId: 'acme', toMs: noon + dayMs / 4 }), [
    { day: '2026-01-31', model: null, requests: 3, inputTokens: 6, outputTokens: 3, costUsd: 1.5 },
    { day: '2026-01-31', model: 'm', requests: 3, inputTokens: 9, outputTokens: 3, costUsd: 1.5 },
  ]);
  const [early] = await usage.totals({ by: [], accountId: 'acme', toMs: noon + dayMs / 4 });
  assert.deepEqual(early, sums);
  assert.equal((await usage.totals({ by: [] }))[0]?.inputTokens, Number.MAX_SAFE_INTEGER);
  // Each of the rows took 1 ms, which is in the step up to 2.
  const [timed] = await usage.totals({ by: [], withDurations: true });
  assert.deepEqual([timed?.requests, timed?.p50Ms, timed?.p95Ms], [11, 1.41, 1.93]);
});

const dayMs = 86_400_000;

test('with migrates off a store that lacks a step is refused and left as it was', async (context) => {
  const sqlite = await openSqlite({ path: ':memory:' });
  context.after(() => sqlite.close());
  const db = new Kysely<unknown>({ dialect: sqlite.dialect });
  await assert.rejects(migrate(db, migrations, false), /^Error: database: .*run: nestor migrate$/);
  assert.deepEqual(await tablesOf(db), []);
});

test('steps are listed in order and named by number and subject, no number twice', () => {
  const names = Object.keys(migrations);
  assert.deepEqual(names, names.toSorted());
  for (const name of names) assert.match(name, /^\d{4}-[a-z0-9-]+$/);
  assert.equal(new Set(names.map((name) => name.slice(0, 4))).size, names.length);
});
