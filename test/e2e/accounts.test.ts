import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { setInterval } from 'node:timers/promises';
import { spawnNestor } from '../commands/support.ts';
import { exampleBodies } from '../support/examples.ts';
import { postgresSkipReason, sharePostgres } from '../support/postgres.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../storage/temporary.ts';
import { spawnServer } from './server-process.ts';
import { poll, until } from '../support/until.ts';

const adminKey = 'admin-key-of-a-test-0123456789';
const rootOfAcme = 'root-key-of-acme-0123456789';
const config = JSON.stringify({
  keys: [{ key: rootOfAcme, account: 'acme', credits_purchased_usd: 0 }],
  rate_limits: { enabled: false },
});

/** Requests per second that the key's tier allows, or the status where that is not 200. */
async function limitOf({ post }: TestServer, key: string): Promise<string | number | null> {
  const body = exampleBodies['createDecision'];
  const response = await post('/v1/decisions', body, { authorization: `Bearer ${key}` });
  return response.status === 200 ? response.headers.get('x-ratelimit-limit') : response.status;
}

const admin = ({ post }: TestServer, path: string, body: unknown) =>
  post(path, body, { authorization: `Bearer ${adminKey}` });

suite('two servers on one PostgreSQL', { skip: postgresSkipReason() }, () => {
  test('a purchase booked by one decides the next request at the other, for every key of the account', async (t) => {
    const postgres = await sharePostgres();
    t.after(() => postgres.close());
    const env = { NESTOR_DATABASE_URL: await postgres.createStore(), NESTOR_ADMIN_KEY: adminKey };
    const [one, two] = await Promise.all([startServer(t, { env, config }), startServer(t, { env, config })]);
    const made = await admin(one, '/admin/v1/accounts/acme/keys', {});
    const { secret, id } = (await made.json()) as { secret: string; id: string };
    const keys = [rootOfAcme, secret];
    const limits = (server: TestServer) => Promise.all(keys.map((key) => limitOf(server, key)));
    assert.deepEqual(
      [await limits(one), await limits(two)],
      [
        ['10', '10'],
        ['10', '10'],
      ],
    );

    for (const [index, [amount, limit]] of [
      [50, '20'],
      [200, '50'],
      [250, '100'],
    ].entries()) {
      const body = { purchase_id: `p${index}`, amount_usd: amount };
      const booked = await admin(index % 2 === 0 ? one : two, '/admin/v1/accounts/acme/purchases', body);
      assert.equal(booked.status, 201);
      assert.deepEqual(
        [await limits(one), await limits(two)],
        [
          [limit, limit],
          [limit, limit],
        ],
      );
    }

    const headers = { authorization: `Bearer ${adminKey}` };
    const revoked = await fetch(`${one.url}/admin/v1/accounts/acme/keys/${id}`, {
      method: 'DELETE',
      headers,
    });
    assert.equal(revoked.status, 200);
    assert.deepEqual([await limitOf(two, secret), await limitOf(one, secret)], [401, 401]);

    const listed = await fetch(`${two.url}/admin/v1/processes`, { headers });
    assert.equal(((await listed.json()) as { data: unknown[] }).data.length, 2);
  });

  test('an account deleted by one has no key at the other, a key of its configuration included', async (t) => {
    const postgres = await sharePostgres();
    t.after(() => postgres.close());
    const env = { NESTOR_DATABASE_URL: await postgres.createStore(), NESTOR_ADMIN_KEY: adminKey };
    const [one, two] = await Promise.all([startServer(t, { env, config }), startServer(t, { env })]);
    assert.equal(await limitOf(one, rootOfAcme), '10');
    const remove = ({ url }: TestServer) =>
      fetch(`${url}/admin/v1/accounts/acme`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${adminKey}` },
      });
    assert.equal((await remove(one)).status, 409, 'it has the key itself');
    assert.equal((await remove(two)).status, 200);
    assert.equal(await limitOf(one, rootOfAcme), 401);
    assert.equal((await admin(two, '/admin/v1/accounts', { id: 'acme' })).status, 201);
    assert.equal(await limitOf(one, rootOfAcme), 401, 'the new account has nothing of the old one');
    assert.equal(await limitOf(one, one.key), '200', 'keys of other accounts stay');
  });

  test('a server that hears no messages of others has the tier all the same', async (t) => {
    const postgres = await sharePostgres();
    t.after(() => postgres.close());
    const url = await postgres.createStore();
    const server = await startServer(t, { env: { NESTOR_DATABASE_URL: url }, config });
    assert.equal(await limitOf(server, rootOfAcme), '10');
    // Written past every process, as if its notice had been lost.
    const { Client } = await import('pg');
    const client = new Client(url);
    await client.connect();
    await client.query("update accounts set credits_purchased_usd = 1000 where id = 'acme'");
    await client.end();
    const limit = await poll(
      () => limitOf(server, rootOfAcme),
      (told) => told !== '10',
    );
    assert.equal(limit, '200');
  });
});

suite('the command line beside a server that runs on the same SQLite file', () => {
  test('what it writes holds in the server when it returns', async (t) => {
    const server = await startServer(t, { config });
    const env = { NESTOR_DATA: server.data };
    const nestor = async (...argv: readonly string[]) => {
      const ended = await spawnNestor(argv, env);
      assert.equal(ended.code, 0, `${argv.join(' ')}: ${ended.err}`);
      return ended.out.trim();
    };
    // Load, so that the server holds every answer in memory and writes its ledger meanwhile.
    const key = await nestor('keys', 'create', 'acme', '--name', 'of the command line');
    const enough = new AbortController();
    let answered = 0;
    const load = (async () => {
      // Two hundred times a second at most: without an end the commands and other files would wait for a core.
      for await (const _ of setInterval(5)) {
        if (enough.signal.aborted) break;
        assert.notEqual(await limitOf(server, server.key), 503);
        await limitOf(server, key);
        answered++;
      }
    })();
    assert.equal(await limitOf(server, key), '10');
    assert.equal(await limitOf(server, rootOfAcme), '10');
    await nestor('accounts', 'credit', 'acme', '50', '--id', 'p1');
    assert.deepEqual([await limitOf(server, key), await limitOf(server, rootOfAcme)], ['20', '20']);
    await nestor('keys', 'revoke', 'acme', key.slice(-4));
    assert.equal(await limitOf(server, key), 401);
    await nestor('export', `${server.data}/whole.jsonl`);
    enough.abort();
    await load;
    assert.ok(answered > 10);
    const exported = await readFile(`${server.data}/whole.jsonl`, 'utf8');
    for (const secret of [key, server.key, rootOfAcme]) assert.ok(!exported.includes(secret));
    assert.ok(exported.includes('of the command line'));
    assert.ok((await readdir(server.data)).includes('nestor.db'));
  });

  test('an account that it deletes has no key in the server, one of its configuration included', async (t) => {
    const server = await startServer(t, { config });
    assert.equal(await limitOf(server, rootOfAcme), '10');
    const other = join(server.data, 'other.yaml');
    await writeFile(other, '{}');
    const argv = ['accounts', 'rm', 'acme', '--yes', '--config', other];
    const ended = await spawnNestor(argv, { NESTOR_DATA: server.data });
    assert.equal(ended.code, 0, ended.err);
    assert.equal(await limitOf(server, rootOfAcme), 401);
    assert.equal(await limitOf(server, server.key), '200');
  });

  test('it ends the root key of the first start in a server that runs', async (t) => {
    const data = temporaryFolder(t);
    const server = await spawnServer(data, {});
    t.after(() => server.end('SIGKILL'));
    const key = /^Root key: (\S+) /m.exec(server.stdout())?.[1] ?? '';
    const statusOf = async () => {
      const headers = { authorization: `Bearer ${key}` };
      return (await fetch(`${server.url}/v1/decisions`, { method: 'POST', headers, body: '{' })).status;
    };
    assert.equal(await statusOf(), 400);
    const ended = await spawnNestor(['keys', 'revoke', 'default', key.slice(-4)], { NESTOR_DATA: data });
    assert.equal(ended.code, 0, ended.err);
    assert.equal(await statusOf(), 401);
  });

  test('the totals that it prints are those of the admin operations', async (t) => {
    const server = await startServer(t, { config, env: { NESTOR_ADMIN_KEY: adminKey } });
    for (let i = 0; i < 3; i++) await limitOf(server, rootOfAcme);
    const headers = { authorization: `Bearer ${adminKey}` };
    const told = async () => {
      const response = await fetch(`${server.url}/admin/v1/usage/totals?by=account,model`, { headers });
      return ((await response.json()) as { data: { object: string; requests: number }[] }).data;
    };
    await until(async () => (await told())[0]?.requests === 3);
    const printed = await spawnNestor(['usage', '--by', 'account,model', '--json'], {
      NESTOR_DATA: server.data,
    });
    const lines = JSON.parse(printed.out) as readonly object[];
    const marked = lines.map((line) => ({ object: 'usage_total', ...line }));
    assert.deepEqual(marked, await told());
    assert.equal(marked.length, 1);
  });
});
