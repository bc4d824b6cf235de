import assert from 'node:assert/strict';
import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Worker } from 'node:worker_threads';

import { Kysely, sql } from 'kysely';

import { Fault } from '../../src/kernel/faults.ts';
import { openSqlite } from '../../src/kernel/store/sqlite/open-sqlite.ts';
import { temporaryFolder } from './temporary.ts';
import { until } from '../support/until.ts';

interface Tables {
  readonly item: { readonly id: number };
}

const quick = { pauseMinMs: 1, pauseMaxMs: 2, failuresMax: 4, steadyMs: 60_000 };

/** A store on disk and the threads that were started for it, newest last. */
async function open(context: TestContext, path = join(temporaryFolder(context), 'x.db')) {
  const threads: Worker[] = [];
  const note = (worker: Worker) => void threads.push(worker);
  process.on('worker', note);
  context.after(() => void process.off('worker', note));
  const lost = Promise.withResolvers<Error>();
  const events = { ended() {}, reopened() {}, lost: lost.resolve };
  const sqlite = await openSqlite({ path, reopen: quick, events });
  context.after(() => sqlite.close());
  const db = new Kysely<Tables>({ dialect: sqlite.dialect });
  await sql`create table if not exists item (id integer primary key) strict`.execute(db);
  const insert = (id: number) => db.insertInto('item').values({ id }).execute();
  const ids = async () =>
    (await db.selectFrom('item').select('id').orderBy('id').execute()).map(({ id }) => id);
  return { db, sqlite, insert, ids, lost: lost.promise, path, kill: () => threads.at(-1)?.terminate() };
}

test('a storage thread that died is opened again, with everything that was acknowledged', async (context) => {
  const { sqlite, insert, ids, kill } = await open(context);
  await insert(1);
  await kill();
  assert.equal(sqlite.isUp(), false);
  await assert.rejects(insert(2), (error: unknown) => error instanceof Fault && error.status === 503);
  await until(() => sqlite.isUp());
  await insert(3);
  assert.deepEqual(await ids(), [1, 3]);
});

test('what was under way when the thread died is refused and never run again', async (context) => {
  const { db, sqlite, insert, ids, kill } = await open(context);
  const slow = sql`insert into item select 7 where
    (with recursive c(n) as (select 1 union all select n + 1 from c where n < 3000000) select sum(n) from c) > 0`;
  const results = Promise.allSettled([slow.execute(db), insert(8)]);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  const waiting = Promise.allSettled([insert(9)]);
  await kill();
  for (const { status } of [...(await results), ...(await waiting)]) assert.equal(status, 'rejected');
  await until(() => sqlite.isUp());
  assert.deepEqual(
    (await ids()).filter((id) => id === 9),
    [],
  );
  await insert(10);
});

test('a transaction that was open when the thread died takes nothing more, and leaves nothing', async (context) => {
  const { db, sqlite, ids, kill } = await open(context);
  const failed = db.transaction().execute(async (transaction) => {
    await transaction.insertInto('item').values({ id: 1 }).execute();
    await kill();
    await until(() => sqlite.isUp());
    await transaction.insertInto('item').values({ id: 2 }).execute();
  });
  await assert.rejects(failed, (error: unknown) => error instanceof Fault && error.status === 503);
  assert.deepEqual(await ids(), []);
});

test('a store that cannot be opened again is lost after some attempts, with the reason', async (context) => {
  const { insert, lost, path, kill } = await open(context);
  await insert(1);
  renameSync(path, `${path}.moved`);
  await kill();
  assert.match((await lost).message, /is gone/);
  await assert.rejects(insert(2), Fault);
});

test('a thread that dies again and again is not opened for ever', async (context) => {
  const { sqlite, lost, kill } = await open(context);
  const state = { isLost: false };
  void lost.then(() => (state.isLost = true));
  while (!state.isLost) {
    await until(() => state.isLost || sqlite.isUp());
    await kill();
  }
  assert.match((await lost).message, /ended with code/);
});

test('pages that are damaged while a server runs are a fault that says what to do', async (context) => {
  const { db, sqlite, path } = await open(context);
  await sql`insert into item (id) with recursive c(n) as (select 1 union all select n + 1 from c where n < 50000)
    select n from c`.execute(db);
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
  const file = openSync(path, 'r+');
  const noise = Buffer.alloc(statSync(path).size - 8_192, 0x5a);
  writeSync(file, noise, 0, noise.length, 8_192);
  closeSync(file);
  const reader = new Kysely<Tables>({ dialect: sqlite.readDialect(1) });
  await assert.rejects(
    reader.selectFrom('item').select('id').execute(),
    (error: unknown) =>
      error instanceof Fault &&
      error.status === 503 &&
      /malformed; .*nestor restore FILE/.test(String(error.cause)),
  );
});
