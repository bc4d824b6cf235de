import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { sql } from 'kysely';

import { temporaryFolder } from '../../../test/storage/temporary.ts';
import { hashSecret } from '../kit/ids.ts';
import { createAccounts } from '../../features/accounts/store/accounts.ts';
import { openDatabase } from './database.ts';
import { createKeys } from '../../features/accounts/store/keys.ts';

const acme = { id: 'acme', name: 'Acme', createdAtMs: 1, creditsPurchasedUsd: 5 };

/** Refused with one line that begins the way all of them do. */
function oneLine(pattern: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof Error);
    assert.match(error.message, pattern);
    assert.match(error.message, /^database: [^\n]+$/);
    return true;
  };
}

function writeForeign(path: string, statement: string): void {
  const foreign = new DatabaseSync(path);
  foreign.exec(statement);
  foreign.close();
}

test('the url names the file, and what was written is there after closing', async (context) => {
  const dataFolder = join(temporaryFolder(context), 'deep', 'data');
  for (const url of ['sqlite', `sqlite:${dataFolder}/other.db`]) {
    const first = await openDatabase(url, { dataFolder });
    await createAccounts(first.db).ensure(acme);
    await first.close();
    const second = await openDatabase(url, { dataFolder });
    assert.deepEqual(await createAccounts(second.db).get('acme'), acme);
    await second.close();
  }
  assert.deepEqual(readdirSync(dataFolder).toSorted(), ['nestor.db', 'other.db']);
});

test('folder and files are for their owner only', { skip: process.platform === 'win32' }, async (context) => {
  const dataFolder = join(temporaryFolder(context), 'data');
  const database = await openDatabase('sqlite', { dataFolder });
  await createAccounts(database.db).ensure(acme);
  assert.equal(statSync(dataFolder).mode & 0o777, 0o700);
  for (const name of ['nestor.db', 'nestor.db-wal', 'nestor.db-shm']) {
    assert.equal(statSync(join(dataFolder, name)).mode & 0o777, 0o600, name);
  }
  await database.close();
});

test('other stores and malformed urls are refused without being repeated', async () => {
  for (const url of ['postgres:hunter2', 'mysql:hunter2', '', 'sqlitex', '/tmp/hunter2.db']) {
    const refused = oneLine(/^database: write sqlite, sqlite:PATH or postgres:\/\/…$/);
    await assert.rejects(openDatabase(url, { dataFolder: '/nowhere' }), refused);
  }
  for (const url of ['sqlite:', 'sqlite:///tmp/x.db', 'sqlite:a\0b']) {
    await assert.rejects(openDatabase(url, { dataFolder: '/nowhere' }), oneLine(/sqlite:PATH/));
  }
});

test('a file that is no database is refused and left as it was', async (context) => {
  const dataFolder = temporaryFolder(context);
  const path = join(dataFolder, 'nestor.db');
  const bytes = randomBytes(8_192);
  writeFileSync(path, bytes);
  await assert.rejects(openDatabase('sqlite', { dataFolder }), oneLine(/is not a database/));
  assert.deepEqual(readFileSync(path), bytes);
});

test('a damaged database is refused', async (context) => {
  const dataFolder = temporaryFolder(context);
  const path = join(dataFolder, 'nestor.db');
  await (await openDatabase('sqlite', { dataFolder })).close();
  const bytes = readFileSync(path);
  bytes.fill(0xff, 100, 4_096);
  writeFileSync(path, bytes);
  await assert.rejects(openDatabase('sqlite', { dataFolder }), oneLine(/nestor\.db is damaged/));
  truncateSync(path, 6_000);
  await assert.rejects(openDatabase('sqlite', { dataFolder }), oneLine(/nestor\.db/));
});

test('a database of another program is refused and left as it was', async (context) => {
  const dataFolder = temporaryFolder(context);
  const path = join(dataFolder, 'nestor.db');
  writeForeign(path, 'create table bookmarks (url text)');
  const before = readFileSync(path);
  await assert.rejects(openDatabase('sqlite', { dataFolder }), oneLine(/belongs to another program/));
  assert.deepEqual(readFileSync(path), before);
  assert.equal(existsSync(`${path}-wal`), false);
});

test('a database written by a newer version is refused and left as it was', async (context) => {
  const dataFolder = temporaryFolder(context);
  const path = join(dataFolder, 'nestor.db');
  await (await openDatabase('sqlite', { dataFolder })).close();
  writeForeign(path, `insert into kysely_migration values ('9999-future', '2099-01-01T00:00:00.000Z')`);
  const before = readFileSync(path);
  await assert.rejects(
    openDatabase('sqlite', { dataFolder }),
    oneLine(/newer version of Nestor .*9999-future/),
  );
  assert.deepEqual(readFileSync(path), before);
});

test('a folder or file that cannot be written is refused', async (context) => {
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, 'file'), '');
  const refused = oneLine(/cannot be written \(E(NOTDIR|EXIST)\)/);
  await assert.rejects(openDatabase('sqlite', { dataFolder: join(folder, 'file') }), refused);
  await assert.rejects(openDatabase(`sqlite:${folder}`, { dataFolder: folder }), oneLine(/\(EISDIR\)/));
});

test('two at once on one new file both open and see each other', async (context) => {
  const dataFolder = temporaryFolder(context);
  const both = await Promise.all([
    openDatabase('sqlite', { dataFolder }),
    openDatabase('sqlite', { dataFolder }),
  ]);
  const [first, second] = both;
  await Promise.all(both.map(({ db }, index) => createAccounts(db).ensure({ ...acme, id: `a${index}` })));
  assert.ok(await createAccounts(first.db).get('a1'));
  assert.ok(await createAccounts(second.db).get('a0'));
  await Promise.all(both.map((database) => database.close()));
});

test('every commit is synced and foreign keys are checked', async (context) => {
  const dataFolder = temporaryFolder(context);
  const database = await openDatabase('sqlite', { dataFolder });
  const { sql } = await import('kysely');
  const read = async (name: string): Promise<unknown> => {
    const { rows } = await sql.raw<Record<string, unknown>>(`pragma ${name}`).execute(database.db);
    return Object.values(rows[0] ?? {})[0];
  };
  assert.equal(await read('journal_mode'), 'wal');
  assert.equal(await read('synchronous'), 2);
  assert.equal(await read('foreign_keys'), 1);
  assert.equal(await read('trusted_schema'), 0);
  assert.equal(await read('busy_timeout'), 5_000);
  await database.close();
});

test('no plain key is in any file', async (context) => {
  const dataFolder = temporaryFolder(context);
  const database = await openDatabase('sqlite', { dataFolder });
  await createAccounts(database.db).ensure(acme);
  const secret = `svc-${randomBytes(32).toString('base64url')}`;
  const key = {
    hash: hashSecret(secret),
    accountId: 'acme',
    kind: 'token',
    name: null,
    createdAtMs: 1,
  } as const;
  await createKeys(database.db).insertIfAbsent({ ...key, last4: secret.slice(-4) });
  const contains = (needle: string): boolean =>
    readdirSync(dataFolder).some((name) => readFileSync(join(dataFolder, name)).includes(needle));
  assert.equal(contains(key.hash), true);
  assert.equal(contains(secret.slice(0, 12)), false);
  await database.close();
  assert.equal(contains(key.hash), true);
  assert.equal(contains(secret.slice(0, 12)), false);
});

test('a disk that is full is told as such, and what fits is taken again when there is room', async (context) => {
  const database = await openDatabase('sqlite::memory:', { dataFolder: '/nowhere' });
  const { db } = database;
  context.after(() => database.close());
  const accounts = createAccounts(db);
  // SQLite answers with the same result as on a disk without room.
  const limitTo = (pages: number) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(db);
  await limitTo(1);
  const fill = async () => {
    for (let n = 0; n < 200; n++)
      await accounts.create({ id: `a${n}`, name: 'x'.repeat(1_000), createdAtMs: 1 });
  };
  await assert.rejects(fill, { status: 503, message: 'The disk of the database is full.' });
  await limitTo(1_000_000);
  assert.equal(await accounts.create({ id: 'after', name: 'x', createdAtMs: 1 }), true);
});
