import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { Kysely, sql } from 'kysely';

import { Fault } from '../../src/kernel/faults.ts';
import { openSqlite } from '../../src/kernel/store/sqlite/open-sqlite.ts';
import { defaultReaderLimits, type ReaderLimits } from '../../src/kernel/store/sqlite/readers.ts';
import { hangMs } from '../support/until.ts';
import { temporaryFolder } from './temporary.ts';

interface Tables {
  readonly item: { readonly id: number; readonly name: string };
}

async function open(context: TestContext, limits: Partial<ReaderLimits> = {}) {
  const path = join(temporaryFolder(context), 'x.db');
  // On a busy machine a sum takes seconds, and the third waits longer than a request would.
  const patient = { ...defaultReaderLimits, waitTimeMaxMs: hangMs, readTimeMaxMs: hangMs };
  const sqlite = await openSqlite({ path, readers: { ...patient, ...limits } });
  context.after(() => sqlite.close());
  const db = new Kysely<Tables>({ dialect: sqlite.dialect });
  await sql`create table item (id integer primary key, name text) strict`.execute(db);
  const reader = new Kysely<Tables>({ dialect: sqlite.readDialect(2) });
  const reports = new Kysely<Tables>({ dialect: sqlite.readDialect(1) });
  const insert = (id: number) => db.insertInto('item').values({ id, name: 'n' }).execute();
  return { db, reader, reports, insert };
}

const idsOf = async (db: Kysely<Tables>): Promise<number[]> =>
  (await db.selectFrom('item').select('id').orderBy('id').execute()).map(({ id }) => id);

/** Some hundred milliseconds of work inside one statement. */
const longSum = sql<{
  n: number;
}>`with recursive c(n) as (select 1 union all select n + 1 from c where n < 3000000)
  select sum(n) as n from c`;

test('a write is acknowledged while a long sum is being read', async (context) => {
  const { reports, insert } = await open(context);
  const order: string[] = [];
  const sum = longSum.execute(reports).then(() => order.push('sum'));
  for (let id = 1; id <= 5; id++) await insert(id).then(() => order.push('write'));
  await sum;
  assert.deepEqual(order, ['write', 'write', 'write', 'write', 'write', 'sum']);
});

test('a read is answered while a write transaction is open, and sees what was committed before it', async (context) => {
  const { db, reader, insert } = await open(context);
  await insert(1);
  await db.transaction().execute(async (transaction) => {
    await transaction.insertInto('item').values({ id: 2, name: 'n' }).execute();
    assert.deepEqual(await idsOf(reader), [1]);
  });
  assert.deepEqual(await idsOf(reader), [1, 2]);
});

test('long sums, however many, leave a thread to the other reads', async (context) => {
  const { reader, reports, insert } = await open(context);
  await insert(1);
  const order: string[] = [];
  const sums = [1, 2, 3].map(() => longSum.execute(reports).then(() => order.push('sum')));
  for (let turn = 0; turn < 3; turn++) await idsOf(reader).then(() => order.push('list'));
  await Promise.all(sums);
  // On a busy machine the first sum may end while the thread of the lists starts. With sums on both threads, the lists
  // would come after two of them.
  assert.ok(order.slice(0, 4).filter((one) => one === 'list').length === 3, order.join(' '));
});

test('reads that would pile up are refused, and the others are answered', async (context) => {
  const { reports } = await open(context, { waitingMax: 2 });
  const results = await Promise.allSettled([1, 2, 3, 4, 5].map(() => longSum.execute(reports)));
  const refused = results.filter((result) => result.status === 'rejected');
  assert.equal(refused.length, 2);
  for (const { reason } of refused) {
    assert.ok(reason instanceof Fault && reason.code === 'service_unavailable');
    assert.ok((reason.retryAfterMs ?? 0) > 0);
  }
});

test('a read that takes too long is given up, and its thread serves again when it is done', async (context) => {
  const { reports } = await open(context, { readTimeMaxMs: 1 });
  await assert.rejects(
    longSum.execute(reports),
    (error: unknown) => error instanceof Fault && /took too long/.test(error.message),
  );
  let answered = false;
  while (!answered)
    answered = await sql`select 1`.execute(reports).then(
      () => true,
      () => false,
    );
});

test('a read that waits too long for a thread is refused', async (context) => {
  const { reports } = await open(context, { waitTimeMaxMs: 1 });
  const sum = longSum.execute(reports);
  await assert.rejects(sql`select 1`.execute(reports), /Too many reads wait/);
  await sum;
});

test('the reader takes no write and no transaction', async (context) => {
  const { db, reader } = await open(context);
  await assert.rejects(reader.insertInto('item').values({ id: 1, name: 'n' }).execute(), Fault);
  await assert.rejects(
    reader.transaction().execute((transaction) => idsOf(transaction)),
    /no transactions/,
  );
  assert.deepEqual(await idsOf(db), []);
});

test('a reading thread that dies is replaced with the next read', async (context) => {
  const { reader, insert } = await open(context);
  await insert(1);
  const started = new Promise<{ terminate(): Promise<number> }>((resolve) => {
    process.once('worker', resolve);
  });
  assert.deepEqual(await idsOf(reader), [1]);
  await (await started).terminate();
  assert.deepEqual(await idsOf(reader), [1]);
});

test('in memory, reads and writes share the one connection', async () => {
  const sqlite = await openSqlite({ path: ':memory:' });
  const db = new Kysely<Tables>({ dialect: sqlite.dialect });
  await sql`create table item (id integer primary key, name text) strict`.execute(db);
  await db.insertInto('item').values({ id: 7, name: 'n' }).execute();
  assert.deepEqual(await idsOf(new Kysely<Tables>({ dialect: sqlite.readDialect(1) })), [7]);
  await sqlite.close();
});
