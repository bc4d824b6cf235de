import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { Kysely, sql } from 'kysely';

import { Fault } from '../../src/kernel/faults.ts';
import { SqliteError } from '../../src/kernel/store/sqlite/dialect.ts';
import { openSqlite, type Sqlite, type SqliteOptions } from '../../src/kernel/store/sqlite/open-sqlite.ts';
import { defaultQueueLimits } from '../../src/kernel/store/sqlite/queue.ts';
import { turnTimers } from '../support/timers.ts';
import { temporaryFolder } from './temporary.ts';

interface Tables {
  readonly item: { readonly id: number; readonly name: string | null };
}

interface Opened {
  readonly db: Kysely<Tables>;
  readonly sqlite: Sqlite;
}

async function open(context: TestContext, options: Partial<SqliteOptions> = {}): Promise<Opened> {
  const path = join(temporaryFolder(context), 'x.db');
  const sqlite = await openSqlite({ path, ...options });
  context.after(() => sqlite.close());
  const db = new Kysely<Tables>({ dialect: sqlite.dialect });
  if (options.workerUrl === undefined) {
    await sql`create table item (id integer primary key, name text) strict`.execute(db);
  }
  return { db, sqlite };
}

const insert = (db: Kysely<Tables>, id: number): Promise<unknown> =>
  db
    .insertInto('item')
    .values({ id, name: `n${id}` })
    .execute();

async function idsOf(db: Kysely<Tables>): Promise<number[]> {
  const rows = await db.selectFrom('item').select('id').orderBy('id').execute();
  return rows.map((row) => row.id);
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

function fixture(name: string): URL {
  return new URL(`./workers/${name}.ts`, import.meta.url);
}

test('500 inserts of one tick share one commit', async (context) => {
  const { db, sqlite } = await open(context);
  const before = sqlite.stats().commits;
  await Promise.all(Array.from({ length: 500 }, (_, id) => insert(db, id)));
  assert.equal(sqlite.stats().commits - before, 1);
  assert.equal((await idsOf(db)).length, 500);
});

test('inserts that arrive while a commit is under way share the next one', async (context) => {
  const { db, sqlite } = await open(context);
  const before = sqlite.stats().commits;
  const inserts: Promise<unknown>[] = [];
  for (let id = 0; id < 300; id++) {
    inserts.push(insert(db, id));
    if (id % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(inserts);
  const commits = sqlite.stats().commits - before;
  assert.ok(commits <= 101, `${commits} commits`);
  assert.equal((await idsOf(db)).length, 300);
});

test('reads need no commit', async (context) => {
  const { db, sqlite } = await open(context);
  const before = sqlite.stats().commits;
  await Promise.all([idsOf(db), idsOf(db), sql`select 1`.execute(db)]);
  assert.equal(sqlite.stats().commits, before);
});

test('a read sees the write that was issued before it in the same tick', async (context) => {
  const { db } = await open(context);
  const [, ids] = await Promise.all([insert(db, 1), idsOf(db)]);
  assert.deepEqual(ids, [1]);
});

test('a failure carries the code of SQLite and the statement without its values', async (context) => {
  const { db } = await open(context);
  await insert(db, 1);
  await assert.rejects(
    db.insertInto('item').values({ id: 1, name: 'secret' }).execute(),
    (error: unknown) =>
      error instanceof SqliteError &&
      error.errcode === 1555 &&
      !`${error.message} ${error.sql}`.includes('secret'),
  );
});

test('a deferred constraint that fails at commit undoes only its own statement', async (context) => {
  const { db } = await open(context);
  await sql`create table part (item integer references item(id) deferrable initially deferred)`.execute(db);
  const results = await Promise.allSettled([
    insert(db, 1),
    sql`insert into part values (99)`.execute(db),
    insert(db, 2),
    sql`insert into part values (1)`.execute(db),
  ]);
  assert.deepEqual(
    results.map((result) => result.status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  assert.deepEqual(await idsOf(db), [1, 2]);
});

test('a statement that rolls the transaction back does not take its neighbours along', async (context) => {
  const { db } = await open(context);
  await insert(db, 1);
  const results = await Promise.allSettled([
    insert(db, 2),
    sql`insert or rollback into item values (1, 'again')`.execute(db),
    insert(db, 3),
  ]);
  assert.deepEqual(
    results.map((result) => result.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(await idsOf(db), [1, 2, 3]);
});

test('an integer beyond 2^53 is refused in both directions, and what failed is not written', async (context) => {
  const { db } = await open(context);
  await assert.rejects(insert(db, 2 ** 53), /2\^53/);
  await assert.rejects(sql`select ${2n ** 60n}`.execute(db), /2\^53/);
  const results = await Promise.allSettled([
    insert(db, 1),
    sql`insert into item (id) values (9007199254740993) returning id`.execute(db),
  ]);
  assert.deepEqual(
    results.map((result) => result.status),
    ['fulfilled', 'rejected'],
  );
  assert.deepEqual(await idsOf(db), [1]);
  const { rows } = await sql<{ big: number }>`select ${BigInt(Number.MAX_SAFE_INTEGER)} as big`.execute(db);
  assert.deepEqual(rows, [{ big: Number.MAX_SAFE_INTEGER }]);
});

test('a value that cannot be stored fails alone', async (context) => {
  const { db } = await open(context);
  const detached = new Uint8Array(8);
  structuredClone(detached, { transfer: [detached.buffer] });
  const results = await Promise.allSettled([
    insert(db, 1),
    sql`select ${Symbol('x')}`.execute(db),
    sql`select ${true}`.execute(db),
    sql`select ${undefined}`.execute(db),
    sql`select ${detached}`.execute(db),
    insert(db, 2),
  ]);
  assert.deepEqual(
    results.map((result) => result.status),
    ['fulfilled', 'rejected', 'rejected', 'rejected', 'rejected', 'fulfilled'],
  );
});

test('bytes come back as they were', async (context) => {
  const { db } = await open(context);
  const { rows } = await sql<{ b: Uint8Array }>`select ${Buffer.from('höhe')} as b`.execute(db);
  assert.equal(Buffer.from(rows[0]?.b ?? []).toString(), 'höhe');
});

test('a transaction is alone: others wait in order', async (context) => {
  const { db } = await open(context);
  const seen: string[] = [];
  const first = db.transaction().execute(async (transaction) => {
    await insert(transaction, 1);
    await pause(30);
    seen.push(`first sees ${(await idsOf(transaction)).join()}`);
  });
  const between = insert(db, 2).then(() => seen.push('between'));
  const second = db.transaction().execute(async (transaction) => {
    seen.push(`second sees ${(await idsOf(transaction)).join()}`);
  });
  const last = idsOf(db).then(() => seen.push('last'));
  await Promise.all([first, between, second, last]);
  assert.deepEqual(seen, ['first sees 1', 'between', 'second sees 1,2', 'last']);
});

test('a transaction that stays open too long is rolled back and lets the others pass', async (context) => {
  const { db } = await open(context, { limits: { ...defaultQueueLimits, transactionTimeMaxMs: 30_000 } });
  const { tick } = turnTimers(context);
  const stuck = db.transaction().execute(async (transaction) => {
    await insert(transaction, 1);
    // The mistake: waiting for the store that the transaction itself holds.
    const waiting = insert(db, 2);
    tick(30_000);
    await waiting;
    await insert(transaction, 3);
  });
  await assert.rejects(stuck, /open for more than 30000 ms/);
  assert.deepEqual(await idsOf(db), [2]);
});

test('a transaction that the store has rolled back takes no further statement', async (context) => {
  const { db } = await open(context);
  await insert(db, 1);
  const failed = db.transaction().execute(async (transaction) => {
    await insert(transaction, 2);
    await sql`insert or rollback into item values (1, 'again')`.execute(transaction).catch(() => undefined);
    await insert(transaction, 3);
  });
  await assert.rejects(failed, /rolled back by the store/);
  assert.deepEqual(await idsOf(db), [1]);
});

test('a full disk is a fault of the store, and reads go on', async (context) => {
  const { db, sqlite } = await open(context);
  await sql`pragma max_page_count = 4`.execute(db);
  const results = await Promise.allSettled([
    insert(db, 1),
    db
      .insertInto('item')
      .values({ id: 2, name: 'x'.repeat(100_000) })
      .execute(),
    insert(db, 3),
  ]);
  const [first, second, third] = results;
  assert.equal(first?.status, 'fulfilled');
  assert.equal(third?.status, 'fulfilled');
  assert.ok(second?.status === 'rejected' && second.reason instanceof Fault);
  assert.ok(second.reason.cause instanceof SqliteError);
  assert.deepEqual(await idsOf(db), [1, 3]);
  assert.equal(sqlite.isUp(), true);
});

test('transaction control by hand is refused', async (context) => {
  const { db } = await open(context);
  for (const text of ['begin', ' COMMIT', 'rollback', 'savepoint a', 'release a', 'end']) {
    await assert.rejects(sql.raw(text).execute(db), /db\.transaction\(\)/);
  }
});

test('a full queue refuses at once and serves what it holds', async (context) => {
  const { db } = await open(context, { limits: { ...defaultQueueLimits, waitingMax: 10 } });
  const results = await Promise.allSettled(Array.from({ length: 15 }, (_, id) => insert(db, id)));
  const refused = results.filter((result) => result.status === 'rejected');
  assert.equal(refused.length, 5);
  for (const { reason } of refused) {
    assert.ok(reason instanceof Fault && reason.code === 'service_unavailable');
  }
  assert.equal((await idsOf(db)).length, 10);
});

test('when the thread dies, what waits is refused and the store is down', async (context) => {
  for (const name of ['throws', 'exits']) {
    const { db, sqlite } = await open(context, { workerUrl: fixture(name) });
    assert.equal(sqlite.isUp(), true);
    const transaction = db.transaction().execute((transaction) => insert(transaction, 2));
    const results = await Promise.allSettled([insert(db, 1), transaction, idsOf(db)]);
    for (const result of results) {
      assert.equal(result.status, 'rejected');
      assert.ok(result.reason instanceof Fault && result.reason.code === 'service_unavailable');
    }
    assert.equal(sqlite.isUp(), false);
    await assert.rejects(insert(db, 3), Fault);
    await sqlite.close();
  }
});

test('when the thread dies inside a transaction, its next statement is refused', async (context) => {
  const { db, sqlite } = await open(context, { workerUrl: fixture('dies-in-transaction') });
  const failed = db.transaction().execute((transaction) => insert(transaction, 2));
  await assert.rejects(failed, Fault);
  assert.equal(sqlite.isUp(), false);
});

test('more statement texts than the cache holds all run', async (context) => {
  const { db } = await open(context);
  const numbers = Array.from({ length: 600 }, (_, index) => index);
  const results = await Promise.all(
    numbers.map((index) => sql.raw<{ n: number }>(`select ${index} as n`).execute(db)),
  );
  assert.deepEqual(
    results.map(({ rows }) => rows[0]?.n),
    numbers,
  );
});
