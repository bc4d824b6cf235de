import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { after, before, suite, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { Kysely, sql } from 'kysely';
import { Client } from 'pg';

import { Fault } from '../../src/kernel/faults.ts';
import { createAccounts } from '../../src/features/accounts/store/accounts.ts';
import { openDatabase, type Database } from '../../src/kernel/store/database.ts';
import { isRefusal } from '../../src/kernel/store/errors.ts';
import { migrate } from '../../src/kernel/store/migrate.ts';
import { migrations } from '../../src/kernel/store/migrations/index.ts';
import { PostgresError } from '../../src/kernel/store/postgres/errors.ts';
import {
  defaultPostgresLimits,
  openPostgres,
  type PostgresLimits,
} from '../../src/kernel/store/postgres/open-postgres.ts';
import type { Schema } from '../../src/kernel/store/schema.ts';
import { postgresSkipReason, startPostgres, testPassword, type TestPostgres } from '../support/postgres.ts';
import { run } from './run.ts';
import { until } from '../support/until.ts';

const acme = { id: 'acme', name: 'Acme', createdAtMs: 1, creditsPurchasedUsd: 5 };
const nowhere = { dataFolder: '/nowhere' };

/** Nothing of an error, however deep a log may look, has the password. */
function refuseSecrets(error: unknown): true {
  assert.ok(!inspect(error, { depth: 20, showHidden: true }).includes(testPassword));
  return true;
}

function oneLine(pattern: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof Error);
    assert.match(error.message, pattern);
    assert.match(error.message, /^database: [^\n]+$/);
    return refuseSecrets(error);
  };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Fault && error.code === 'service_unavailable' && refuseSecrets(error);
}

suite('PostgreSQL as a store', { skip: postgresSkipReason() }, () => {
  let server: TestPostgres;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.close());

  async function open(context: TestContext): Promise<Database> {
    const database = await openDatabase(await server.createDatabase(), nowhere);
    context.after(() => database.close());
    return database;
  }

  async function openRaw(
    context: TestContext,
    limits: Partial<PostgresLimits>,
  ): Promise<{ readonly db: Kysely<unknown>; readonly url: string; readonly isUp: () => boolean }> {
    const url = await server.createDatabase();
    const postgres = await openPostgres(url, {
      ...defaultPostgresLimits,
      ...limits,
    });
    context.after(() => postgres.close());
    return { db: new Kysely<unknown>({ dialect: postgres.dialect }), url, isUp: () => postgres.isUp() };
  }

  async function asAdmin(url: string, ...texts: readonly string[]): Promise<void> {
    const admin = new Client({ connectionString: url });
    admin.on('error', () => {});
    await admin.connect();
    for (const text of texts) await admin.query(text);
    await admin.end();
  }

  test('numbers come as numbers, truth as 0 and 1, and an integer beyond 2^53 is refused', async (context) => {
    const { db } = await open(context);
    const { rows } =
      await sql`select 9007199254740991::bigint as big, -1::int as small, 0.1::float8 + 0.2 as float,
      true as yes, false as no, sum(n) as total, count(*) as n, 0.5::numeric as half, null::bigint as nothing
      from (values (1::bigint), (2)) as t (n)`.execute(db);
    assert.deepEqual(rows, [
      {
        big: Number.MAX_SAFE_INTEGER,
        small: -1,
        float: 0.1 + 0.2,
        yes: 1,
        no: 0,
        total: 3,
        n: 2,
        half: 0.5,
        nothing: null,
      },
    ]);
    await assert.rejects(sql`select 9007199254740993::bigint`.execute(db), /2\^53/);
    await assert.rejects(sql`select ${2 ** 53}`.execute(db), /2\^53/);
    await assert.rejects(sql`select ${undefined}`.execute(db), /type undefined/);
    const bytes = await sql<{ b: Uint8Array }>`select ${Buffer.from('höhe')}::bytea as b`.execute(db);
    assert.equal(Buffer.from(bytes.rows[0]?.b ?? []).toString(), 'höhe');
  });

  test('a refusal tells its kind and code and none of the values', async (context) => {
    const { db } = await open(context);
    await createAccounts(db).ensure(acme);
    const again = db
      .insertInto('accounts')
      .values({ id: 'acme', name: testPassword, created_at_ms: 1 })
      .execute();
    await assert.rejects(again, (error) => isRefusal(error, 'unique') && refuseSecrets(error));
    await assert.rejects(sql`select ${testPassword}::bigint`.execute(db), (error) => {
      return error instanceof PostgresError && error.code === '22P02' && refuseSecrets(error);
    });
    const nothing = sql`insert into accounts (id, created_at_ms) values ('x', 1)`.execute(db);
    await assert.rejects(nothing, (error) => isRefusal(error, 'not_null'));
  });

  test('transaction control by hand is refused, and a failed transaction is not committed', async (context) => {
    const { db } = await open(context);
    for (const text of ['begin', ' COMMIT', 'start transaction', 'abort', 'savepoint a']) {
      await assert.rejects(sql.raw(text).execute(db), /db\.transaction\(\)/);
    }
    const failed = db.transaction().execute(async (transaction) => {
      await createAccounts(transaction).ensure(acme);
      await sql`select 1 / 0`.execute(transaction).catch(() => undefined);
    });
    await assert.rejects(failed, /rolled back by the store/);
    assert.equal(await createAccounts(db).get('acme'), undefined);
  });

  test('a statement that takes too long is a fault of the store, and the next one is served', async (context) => {
    // Enough for the next one on a busy machine.
    const { db, isUp } = await openRaw(context, { statementTimeMaxMs: 1_000 });
    await assert.rejects(sql`select pg_sleep(60)`.execute(db), isUnavailable);
    assert.equal(isUp(), true);
    const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db);
    assert.deepEqual(rows, [{ one: 1 }]);
  });

  test('callers wait for a connection for a bounded time and in a bounded number', async (context) => {
    const limits = { connectionsMax: 1, waitingMax: 2, waitTimeMaxMs: 1_000 };
    const { db, url, isUp } = await openRaw(context, limits);
    const holder = new Client({ connectionString: url });
    await holder.connect();
    context.after(() => holder.end());
    await holder.query('select pg_advisory_lock(7)');
    const slow = sql`select pg_advisory_lock(7)`.execute(db);
    const others = await Promise.allSettled([1, 2, 3, 4].map(() => sql`select 1`.execute(db)));
    for (const other of others) assert.ok(other.status === 'rejected' && isUnavailable(other.reason));
    await holder.query('select pg_advisory_unlock(7)');
    await slow;
    assert.equal(isUp(), true);
    await sql`select 1`.execute(db);
  });

  test('a transaction that does nothing for too long is ended by the server, and the process lives', async (context) => {
    const { db, url, isUp } = await openRaw(context, { transactionIdleMaxMs: 100, connectionsMax: 2 });
    const admin = new Client({ connectionString: url });
    await admin.connect();
    context.after(() => admin.end());
    const idle = `select 1 from pg_stat_activity where datname = current_database() and state like 'idle in trans%'`;
    await sql`create table t (a int)`.execute(db);
    const stuck = db.transaction().execute(async (transaction) => {
      await sql`insert into t values (1)`.execute(transaction);
      await until(async () => (await admin.query(idle)).rowCount === 0);
      await sql`insert into t values (2)`.execute(transaction);
    });
    await assert.rejects(stuck, isUnavailable);
    await until(isUp);
    const { rows } = await sql<{ n: number }>`select count(*) as n from t`.execute(db);
    assert.deepEqual(rows, [{ n: 0 }]);
  });

  test('one session that an administrator ends is replaced, and the store stays ok', async (context) => {
    const database = await open(context);
    const { db } = database;
    await createAccounts(db).ensure(acme);
    const own = sql`select pg_terminate_backend(pg_backend_pid())`.execute(db);
    await assert.rejects(own, isUnavailable);
    await until(() => database.health() === 'ok', 'the store did not stay ok');
    assert.deepEqual(await createAccounts(db).get('acme'), acme);
  });

  test('a server that stops and starts: refused at once, down, and up again by itself', async (context) => {
    const database = await open(context);
    const { db } = database;
    await createAccounts(db).ensure(acme);
    await server.stop();
    await until(() => database.health() !== 'ok', 'health never went down');
    await assert.rejects(createAccounts(db).get('acme'), isUnavailable);
    const many = await Promise.allSettled(
      Array.from({ length: 2_000 }, () => createAccounts(db).get('acme')),
    );
    assert.ok(many.every((one) => one.status === 'rejected'));
    await server.start();
    await until(() => database.health() !== 'down', 'health never came back');
    assert.deepEqual(await createAccounts(db).get('acme'), acme);
  });

  test('a server that only reads, as after a failover, is down until it writes again', async (context) => {
    const url = await server.createDatabase();
    const database = await openDatabase(url, nowhere);
    context.after(() => database.close());
    const name = new URL(url).pathname.slice(1);
    const setReadOnly = (mode: string): Promise<void> =>
      asAdmin(
        url,
        'set default_transaction_read_only = off',
        `alter database ${name} set default_transaction_read_only = ${mode}`,
      );
    await setReadOnly('on');
    await sql`set default_transaction_read_only = on`.execute(database.db);
    await assert.rejects(createAccounts(database.db).ensure(acme), isUnavailable);
    await until(() => database.health() !== 'ok', 'health never went down');
    await setReadOnly('off');
    await until(() => database.health() !== 'down', 'health never came back');
    await createAccounts(database.db).ensure(acme);
  });

  test('a store of the first version keeps its accounts, and what they have counts as granted', async () => {
    const url = await server.createDatabase();
    const postgres = await openPostgres(url, defaultPostgresLimits);
    const old = new Kysely<Schema>({ dialect: postgres.dialect });
    const [first] = Object.entries(migrations);
    assert.ok(first);
    await migrate(old, Object.fromEntries([first]));
    await sql`insert into accounts values ('acme', 'Acme', 1, 250)`.execute(old);
    await postgres.close();
    const database = await openDatabase(url, nowhere);
    const raised = await createAccounts(database.db).ensure({ ...acme, creditsPurchasedUsd: 300 });
    assert.equal(raised.creditsPurchasedUsd, 300);
    await database.close();
  });

  test('what waits when the server is killed is refused, and nothing hangs', async (context) => {
    const database = await open(context);
    const { db } = database;
    const waiting = Array.from({ length: 50 }, () => sql`select pg_sleep(60)`.execute(db));
    const results = Promise.allSettled(waiting);
    await pause(100);
    await server.stop('SIGKILL');
    const settled = await results;
    assert.ok(settled.every((result) => result.status === 'rejected' && isUnavailable(result.reason)));
    await server.start();
    await until(() => database.health() === 'ok', 'health never came back');
    await sql`select 1`.execute(db);
  });

  test('a server that accepts and says nothing is given up after a bounded time', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const url = `postgres://u:${testPassword}@127.0.0.1:${port}/x`;
    const postgres = await openPostgres(url, { ...defaultPostgresLimits, waitTimeMaxMs: 200 });
    await assert.rejects(postgres.query({ text: 'select 1', values: [] }), isUnavailable);
    await postgres.close();
    silent.close();
  });

  test('several processes that start at once on an empty database all open it', async () => {
    const url = await server.createDatabase();
    const ended = await Promise.all(Array.from({ length: 6 }, () => run('open', [url])));
    for (const { code, output, errors } of ended) {
      assert.equal(code, 0, errors);
      assert.equal(output, 'ok\n');
    }
    const opened = await Promise.all(Array.from({ length: 8 }, () => openDatabase(url, nowhere)));
    await Promise.all(opened.map((database) => database.close()));
  });

  test('a store written by a newer version is refused in one line and left as it was', async () => {
    const url = await server.createDatabase();
    await (await openDatabase(url, nowhere)).close();
    await asAdmin(url, `insert into kysely_migration values ('9999-future', '2099-01-01T00:00:00.000Z')`);
    const refused = oneLine(/newer version of Nestor .*9999-future.*\[127\.0\.0\.1:\d+\/d\d+\]$/);
    await assert.rejects(openDatabase(url, nowhere), refused);
  });

  test('a store that lacks a step is refused where it must not be changed, and a failed step leaves nothing', async () => {
    const url = await server.createDatabase();
    await assert.rejects(openDatabase(url, { ...nowhere, migrates: false }), oneLine(/run: nestor migrate/));
    const postgres = await openPostgres(url, defaultPostgresLimits);
    const db = new Kysely<unknown>({ dialect: postgres.dialect });
    const failing = { ...migrations, '9000-x': { up: () => Promise.reject(new Error('on purpose')) } };
    await assert.rejects(migrate(db, failing), /cannot be brought up to date \(on purpose\)/);
    const { rows } = await sql<{
      n: number;
    }>`select count(*) as n from pg_tables where schemaname = 'public'`.execute(db);
    assert.deepEqual(rows, [{ n: 0 }]);
    await postgres.close();
    await (await openDatabase(url, nowhere)).close();
    await (await openDatabase(url, { ...nowhere, migrates: false })).close();
  });

  test('each schema of one database is a store of its own', async () => {
    const url = await server.createDatabase();
    await asAdmin(url, 'create schema other');
    const first = await openDatabase(url, nowhere);
    await createAccounts(first.db).ensure(acme);
    const second = await openDatabase(`${url}?options=-c%20search_path%3Dother`, nowhere);
    assert.equal(await createAccounts(second.db).get('acme'), undefined);
    await first.close();
    await second.close();
    const missing = openDatabase(`${url}?options=-c%20search_path%3Dnone`, nowhere);
    await assert.rejects(missing, oneLine(/search_path names no schema/));
  });

  test('a server that cannot be reached or refuses us is told in one line without the password', async () => {
    const url = await server.createDatabase();
    const closed = `postgres://u:${testPassword}@127.0.0.1:1/x`;
    await assert.rejects(
      openDatabase(closed, nowhere),
      oneLine(/127\.0\.0\.1:1\/x cannot be read .*ECONNREFUSED/),
    );
    const localhost = `postgres://u:${testPassword}@localhost:1/x`;
    await assert.rejects(openDatabase(localhost, nowhere), oneLine(/localhost:1\/x .*ECONNREFUSED/));
    await assert.rejects(openDatabase(`${url}none`, nowhere), oneLine(/does not exist/));
    const stranger = url.replace('postgres:hunter', 'stranger:hunter');
    await assert.rejects(openDatabase(stranger, nowhere), oneLine(/role "stranger" does not exist/));
    for (const malformed of [
      `postgres://u:${testPassword}@h:port/d`,
      `postgres://u:%zz${testPassword}@h/d`,
    ]) {
      await assert.rejects(openDatabase(malformed, nowhere), oneLine(/write postgres:\/\/USER/));
    }
    const certificate = `${url}?sslrootcert=/nowhere.pem`;
    await assert.rejects(openDatabase(certificate, nowhere), oneLine(/cannot be used \(ENOENT\)/));
    await assert.rejects(openDatabase(`${url}?sslmode=require`, nowhere), oneLine(/SSL/));
  });

  test('connections carry our name, are bounded, and are gone after closing', async () => {
    const url = await server.createDatabase();
    const database = await openDatabase(url, nowhere);
    await Promise.all(Array.from({ length: 200 }, () => sql`select pg_sleep(0.001)`.execute(database.db)));
    const count = `select count(*)::int as n from pg_stat_activity where application_name = 'nestor'
      and datname = current_database()`;
    const { rows } = await sql<{ n: number }>`${sql.raw(count)}`.execute(database.db);
    assert.deepEqual(rows, [{ n: 10 }]);
    assert.equal(database.stats().waiting, 0);
    const before = database.stats().commits;
    await createAccounts(database.db).ensure(acme);
    await createAccounts(database.db).get('acme');
    await database.db.transaction().execute((transaction) => createAccounts(transaction).ensure(acme));
    assert.equal(database.stats().commits - before, 2);
    await database.close();
    const admin = new Client({ connectionString: url });
    await admin.connect();
    await until(
      async () => (await admin.query<{ n: number }>(count)).rows[0]?.n === 0,
      'connections are left',
    );
    await admin.end();
  });
});
