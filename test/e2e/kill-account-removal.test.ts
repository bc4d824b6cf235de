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
const keyOf = (id: string): string => `svc-key-of-${id}-0123456789`;

/** An account with a key, whose results take some hundred statements to remove. */
async function fill({ db }: Database, id: string): Promise<void> {
  const at = { created_at_ms: 1, served_at_ms: 1, expires_at_ms: 9e12 };
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
  const secret = { kind: 'token', name: null, last4: 'last', created_at_ms: 1 } as const;
  await db
    .insertInto('keys')
    .values({ ...secret, hash: hashSecret(keyOf(id)), account_id: id })
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

/** Removes account after account until it was killed often enough in the midst of it: a quick store may be done before. */
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
  await fill(database, 'other');
  const call = async (method: string, path: string, authorization: string) => {
    const send = createClient(server.url);
    try {
      return await send({ method, path, headers: { authorization: `Bearer ${authorization}` } });
    } finally {
      send.close();
    }
  };
  let killed = 0;
  for (let account = 1; killed < kills; account++) {
    assert.ok(account <= 2 * kills, 'it is done before it can be killed');
    const id = `acme-${account}`;
    await fill(database, id);
    assert.equal((await call('GET', '/v1/account', keyOf(id))).status, 200);
    // Killed before it answers.
    const asked = call('DELETE', `/admin/v1/accounts/${id}?ledger=true`, adminKey).catch(() => null);
    for (let left = pieces; left > 0 && killed < kills; killed += Number(left > 0)) {
      const wanted = left - pieces / (kills + 2);
      left = await poll(
        () => countOf(database, id),
        (count) => count < Math.max(1, wanted),
      );
      await server.end('SIGKILL');
      server = await spawnServer(folder, env);
      assert.equal((await call('GET', '/v1/account', keyOf(id))).status, 401);
    }
    await asked;
    const scope = { accountId: id, withLedger: true };
    await poll(
      () => hasAccountRows(database.db, scope),
      (isThere) => !isThere,
    );
    assert.equal(await countOf(database, 'other'), pieces);
    assert.deepEqual(await createAccountStorage(database.db).recount(), []);
    const again = await call('DELETE', `/admin/v1/accounts/${id}`, adminKey);
    assert.equal(again.status, 200, again.text);
  }
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
