import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { createAccountStorage } from '../../src/kernel/store/account-storage.ts';
import { hasAccountRows } from '../../src/kernel/store/account-rows.ts';
import { openDatabase, type Database } from '../../src/kernel/store/database.ts';
import { hashSecret } from '../../src/kernel/kit/ids.ts';
import { createClient } from '../support/http.ts';
import { postgresSkipReason, sharePostgres } from '../support/postgres.ts';
import { roundsOf } from '../support/rounds.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { poll } from '../support/until.ts';
import { spawnServer } from './server-process.ts';

const kills = roundsOf(2, 10);
const pieces = 2_400;
const rootKey = 'root-key-of-default-0123456789';
const adminKey = 'admin-key-of-a-test-0123456789';
const key = 'svc-key-of-acme-0123456789';

/** An account whose results take some hundred statements to remove, and one that must keep its own. */
async function fill({ db }: Database): Promise<void> {
  const at = { created_at_ms: 1, served_at_ms: 1, expires_at_ms: 9e12 };
  for (const id of ['acme', 'other']) {
    await db.insertInto('accounts').values({ id, name: id, created_at_ms: 1 }).execute();
    const own = { account_id: id, key_id: 'k', model: 'm', name: null, questions: null };
    const counts = { input_tokens: 0, output_tokens: 0, status: 'completed' } as const;
    await db
      .insertInto('decision_batches')
      .values({ id: `b-${id}`, ...own, ...at, ...counts })
      .execute();
    for (let first = 0; first < pieces; first += 100)
      await db
        .insertInto('decision_batch_results')
        .values(
          Array.from({ length: 100 }, (_, n) => ({
            batch_id: `b-${id}`,
            first_line: first + n,
            lines: 1,
            content: 'x'.repeat(10_000),
          })),
        )
        .execute();
  }
  const secret = {
    hash: hashSecret(key),
    kind: 'token',
    name: null,
    last4: 'last',
    created_at_ms: 1,
  } as const;
  await db
    .insertInto('keys')
    .values({ ...secret, account_id: 'acme' })
    .execute();
}

async function countOf({ db }: Database, id: string): Promise<number> {
  const { count } = await db
    .selectFrom('decision_batch_results')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('batch_id', '=', `b-${id}`)
    .executeTakeFirstOrThrow();
  return count;
}

async function killInItsMidst(t: TestContext, url: string): Promise<void> {
  const folder = await temporaryFolder(t);
  const env = {
    NESTOR_ROOT_KEY: rootKey,
    NESTOR_ADMIN_KEY: adminKey,
    NESTOR_DATABASE_URL: url,
    NESTOR_DECISIONS_ENGINE: 'words',
    NESTOR_SANDBOX_RUNNER: 'off',
  };
  let server = await spawnServer(folder, env);
  t.after(() => server.end('SIGKILL'));
  const database = await openDatabase(url, { dataFolder: folder });
  await fill(database);
  const call = async (method: string, path: string, authorization: string) => {
    const send = createClient(server.url);
    try {
      return await send({ method, path, headers: { authorization: `Bearer ${authorization}` } });
    } finally {
      send.close();
    }
  };
  assert.equal((await call('GET', '/v1/account', key)).status, 200);
  // Killed before it answers.
  const asked = call('DELETE', '/admin/v1/accounts/acme?ledger=true', adminKey).catch(() => null);
  for (let kill = 1; kill <= kills; kill++) {
    const wanted = pieces * (1 - kill / (kills + 2));
    const left = await poll(
      () => countOf(database, 'acme'),
      (count) => count < wanted,
    );
    await server.end('SIGKILL');
    assert.ok(left > 0, 'it was killed in its midst');
    server = await spawnServer(folder, env);
    assert.equal((await call('GET', '/v1/account', key)).status, 401);
  }
  await asked;
  const scope = { accountId: 'acme', withLedger: true };
  await poll(
    () => hasAccountRows(database.db, scope),
    (isThere) => !isThere,
  );
  assert.equal(await countOf(database, 'other'), pieces);
  assert.deepEqual(await createAccountStorage(database.db).recount(), []);
  const again = await call('DELETE', '/admin/v1/accounts/acme', adminKey);
  assert.equal(again.status, 200, again.text);
  await server.end('SIGKILL');
  await database.close();
}

suite('kill -9 of a server that deletes an account', () => {
  test('on SQLite: the servers that follow end it', (t) => killInItsMidst(t, 'sqlite'));

  test('on PostgreSQL: the servers that follow end it', { skip: postgresSkipReason() }, async (t) => {
    const postgres = await sharePostgres();
    t.after(() => postgres.close());
    const url = await postgres.createStore('without docs');
    await killInItsMidst(t, url);
  });
});
