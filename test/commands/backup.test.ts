import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test, type TestContext } from 'node:test';
import { createAccounts } from '../../src/features/accounts/store/accounts.ts';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { createUsage } from '../../src/features/accounts/store/usage.ts';
import { usageRow } from '../storage/suite-metering.ts';
import { postgresSkipReason, sharePostgres } from '../support/postgres.ts';
import { startServer } from '../support/server.ts';
import { jsonOf, openConsole, spawnNestor } from './support.ts';
import type { BackupReport } from '../../src/features/service/backup-tools.ts';

/** A store in the folder of a console. */
async function openStore(t: TestContext) {
  const console = openConsole(t);
  const dataFolder = join(console.folder, 'data');
  const database = await openDatabase('sqlite', { dataFolder, isServer: true });
  t.after(() => database.close());
  return { ...console, dataFolder, database, path: join(dataFolder, 'nestor.db') };
}

/** Of the rows of the ledger, or of the requests that they are for. */
async function idsIn(path: string, column: 'id' | 'request_id' = 'id'): Promise<ReadonlySet<string>> {
  const database = await openDatabase(`sqlite:${path}`, { dataFolder: '/nowhere' });
  const rows = await database.db.selectFrom('usage').select(`${column} as id`).execute();
  await database.close();
  return new Set(rows.map(({ id }) => id));
}

/** With a commit for what arrives together, these write more than 500 rows a second. */
const writersCount = 64;

suite('nestor backup', () => {
  test('a backup under load has all that was acknowledged before it, nothing half, and is whole', async (t) => {
    const { nestor, folder, dataFolder, database } = await openStore(t);
    const usage = createUsage(database.db);
    const padding = 'x'.repeat(900);
    const fill = Array.from({ length: 20_000 }, (_, index) =>
      usageRow(`fill-${index}`, { requestId: padding }),
    );
    await usage.insertBatch(fill);
    const acknowledged: string[] = [];
    const state = { isOver: false };
    // One after the other each, so that what is there of a writer has to be the beginning of what it wrote.
    const writers = Array.from({ length: writersCount }, async (_, writer) => {
      for (let number = 0; !state.isOver; number++) {
        const id = `w${writer}-${number}`;
        await usage.insertBatch([usageRow(id)]);
        acknowledged.push(id);
      }
    });
    while (acknowledged.length < 200) await new Promise((resolve) => setImmediate(resolve));
    const before = [...acknowledged];
    const startedMs = performance.now();
    const copy = join(folder, 'copy.db');
    const ended = await spawnNestor(['backup', copy, '--json'], { NESTOR_DATA: dataFolder });
    const tookS = (performance.now() - startedMs) / 1_000;
    const during = acknowledged.length - before.length;
    state.isOver = true;
    await Promise.all(writers);
    assert.equal(ended.code, 0, ended.err);
    t.diagnostic(`${Math.round(during / tookS)} writes a second beside a backup of ${tookS.toFixed(1)} s`);
    assert.ok(during > 0, 'the server wrote on meanwhile');
    const report = jsonOf<BackupReport>(ended);
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('copy')),
      ['copy.db'],
    );
    const ids = await idsIn(copy);
    assert.equal(ids.size, report.rows['usage']);
    assert.equal(new Set(before).difference(ids).size, 0);
    for (let writer = 0; writer < writersCount; writer++) {
      const numbers = [...ids].flatMap((id) =>
        id.startsWith(`w${writer}-`) ? [Number(id.split('-')[1])] : [],
      );
      assert.equal(Math.max(...numbers), numbers.length - 1, 'no hole');
    }
    const env = { NESTOR_DATA: join(folder, 'restored') };
    assert.equal((await nestor(['restore', '--yes', 'copy.db'], { env })).code, 0);
    const { days } = jsonOf<{ days: { days: number; mended: number } }>(
      await nestor(['ledger', 'repair', '--json'], { env }),
    );
    assert.deepEqual([days.days > 0, days.mended], [true, 0], 'the sums are those of the rows');
  });

  test('usage that waits for the store is in it', async (t) => {
    const { nestor, folder } = openConsole(t);
    const server = await startServer(t, { data: join(folder, 'data') });
    const other = new DatabaseSync(join(folder, 'data', 'nestor.db'), { timeout: 5_000 });
    t.after(() => other.close());
    // From here on the ledger cannot hand on what it has.
    other.exec('BEGIN IMMEDIATE');
    const body = {
      model: 'svc-decider-v1-27b',
      state: 'x',
      questions: { q: { type: 'noul', instructions: 'y?' } },
    };
    const answered = new Set<string>();
    for (let count = 0; count < 5; count++) {
      const response = await server.post('/v1/decisions', body);
      assert.equal(response.status, 200, await response.text());
      answered.add(response.headers.get('x-request-id') ?? '');
    }
    const ended = await nestor(['backup', 'copy.db']);
    other.exec('ROLLBACK');
    assert.equal(ended.code, 0, ended.err);
    const kept = await idsIn(join(folder, 'copy.db'), 'request_id');
    assert.equal(answered.difference(kept).size, 0);
  });

  test('what a backup that was killed left is in the way of none, and a place that cannot be written is named', async (t) => {
    const { nestor, folder } = await openStore(t);
    for (const end of ['', '-journal', '-wal']) writeFileSync(join(folder, `saved.db.partial${end}`), 'half');
    const { code, err } = await nestor(['backup', 'saved.db']);
    assert.equal(code, 0, err);
    const nowhere = await nestor(['backup', 'nowhere/saved.db']);
    assert.deepEqual(
      [nowhere.code, nowhere.err],
      [1, 'nestor: nowhere/saved.db cannot be written (ENOENT).\n'],
    );
  });

  test('a damaged copy, another program’s file and one of a newer version are told in one line', async (t) => {
    const { nestor, folder, database } = await openStore(t);
    await createUsage(database.db).insertBatch(Array.from({ length: 2_000 }, (_, id) => usageRow(`r${id}`)));
    assert.equal((await nestor(['backup', 'copy.db'])).code, 0);
    assert.match((await nestor(['backup', '--check', 'copy.db'])).out, /^copy\.db is whole: .*2000 usage/);
    assert.match((await nestor(['backup', 'copy.db'])).err, /exists and is left as it is/);
    const copy = join(folder, 'copy.db');
    const bytes = readFileSync(copy);
    bytes.fill(0x5a, 40_960, 60_000);
    writeFileSync(join(folder, 'torn.db'), bytes);
    await assert.rejects(
      nestor(['backup', '--check', 'torn.db']),
      /^Error: database: .* is damaged[^\n]*restore[^\n]*$/,
    );
    truncateSync(join(folder, 'torn.db'), 50_000);
    await assert.rejects(nestor(['restore', '--yes', 'torn.db']), /is damaged/);
    new DatabaseSync(join(folder, 'foreign.db')).exec('create table x (y)');
    await assert.rejects(nestor(['restore', '--yes', 'foreign.db']), /is no store of Nestor/);
    const newer = new DatabaseSync(copy);
    newer.exec("insert into kysely_migration values ('9999-later', '2030-01-01')");
    newer.close();
    await assert.rejects(nestor(['restore', '--yes', 'copy.db']), /newer version of Nestor/);
  });
});

suite('nestor restore', () => {
  test('puts a backup in place of the store and keeps what was there', async (t) => {
    const { nestor, database, dataFolder } = await openStore(t);
    const accounts = createAccounts(database.db);
    await accounts.create({ id: 'then', name: 'then', createdAtMs: 1 });
    assert.equal((await nestor(['backup', 'copy.db'])).code, 0);
    await accounts.create({ id: 'later', name: 'later', createdAtMs: 2 });
    await database.close();
    const unsure = await nestor(['restore', 'copy.db']);
    assert.deepEqual([unsure.code, unsure.out], [2, '']);
    assert.match(unsure.err, /--yes puts it in place/);
    const { kept } = jsonOf<{ kept: string }>(await nestor(['restore', '--yes', '--json', 'copy.db']));
    const idsOf = async (path: string) => {
      const opened = await openDatabase(`sqlite:${path}`, { dataFolder });
      const ids = (await createAccounts(opened.db).list()).map(({ id }) => id);
      await opened.close();
      return ids;
    };
    assert.deepEqual(await idsOf(join(dataFolder, 'nestor.db')), ['then']);
    assert.deepEqual(await idsOf(kept), ['later', 'then']);
  });

  test('leaves the store of a server that runs, and says what to do', async (t) => {
    const { nestor, database } = await openStore(t);
    await createAccounts(database.db).create({ id: 'acme', name: 'acme', createdAtMs: 1 });
    assert.equal((await nestor(['backup', 'copy.db'])).code, 0);
    await assert.rejects(
      nestor(['restore', '--yes', 'copy.db']),
      new RegExp(
        `^Error: database: .* is served by another server \\(process ${process.pid} on .*\\); stop that one`,
      ),
    );
    assert.equal((await createAccounts(database.db).list()).length, 1);
  });

  test('leaves a store that another program has open', async (t) => {
    const { nestor, database, path } = await openStore(t);
    assert.equal((await nestor(['backup', 'copy.db'])).code, 0);
    await database.close();
    const other = new DatabaseSync(path);
    t.after(() => other.close());
    other.exec('BEGIN; SELECT count(*) FROM accounts');
    await assert.rejects(nestor(['restore', '--yes', 'copy.db']), /is in use by another program/);
  });

  test('replaces a store that is damaged', async (t) => {
    const { nestor, database, path } = await openStore(t);
    await createAccounts(database.db).create({ id: 'acme', name: 'acme', createdAtMs: 1 });
    assert.equal((await nestor(['backup', 'copy.db'])).code, 0);
    await database.close();
    writeFileSync(path, 'no longer a database'.repeat(1_000));
    const ended = await nestor(['restore', '--yes', 'copy.db']);
    assert.equal(ended.code, 0, ended.err);
    assert.match((await nestor(['backup', '--check'])).out, /1 accounts/);
  });
});

test(
  'on PostgreSQL both say what to run, without the password, and the check reads the database',
  { skip: postgresSkipReason() },
  async (t) => {
    const postgres = await sharePostgres();
    t.after(() => postgres.close());
    const { nestor } = openConsole(t);
    const url = await postgres.createDatabase();
    const env = { NESTOR_DATABASE_URL: url };
    assert.equal((await nestor(['migrate'], { env })).code, 0);
    assert.match((await nestor(['backup', '--check'], { env })).out, /The store is whole: 0 accounts/);
    const secret = { NESTOR_DATABASE_URL: 'postgres://nestor:hunter2@db:5432/nestor' };
    const backup = await nestor(['backup', 'x.dump'], { env: secret });
    assert.match(backup.out, /PGPASSWORD='…' pg_dump --format=custom --file=x\.dump --dbname=postgres:/);
    const restore = await nestor(['restore', 'x.dump'], { env: secret });
    assert.match(restore.out, /pg_restore --clean --if-exists .* x\.dump\n {2}nestor backup --check/);
    assert.ok(!`${backup.out}${restore.out}`.includes('hunter2'));
  },
);
