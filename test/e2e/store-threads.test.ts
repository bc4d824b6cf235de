import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { temporaryFolder } from '../storage/temporary.ts';
import { startServer } from '../support/server.ts';
import { spawnNestor } from '../commands/support.ts';
import { spawnServer } from './server-process.ts';

const adminKey = 'admin-key-of-a-test-0123456789';
const rootKey = 'root-key-of-a-test-0123456789';

test('search, usage and lists are answered while a write waits for the store', async (t) => {
  const server = await startServer(t, { env: { NESTOR_ADMIN_KEY: adminKey } });
  const get = (path: string, key: string) =>
    fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } });
  const other = new DatabaseSync(join(server.data, 'nestor.db'), { timeout: 5_000 });
  t.after(async () => other.close());
  other.exec('BEGIN IMMEDIATE');
  const order: string[] = [];
  const write = server.post('/generate_auth_token', {}).then(async (response) => {
    order.push('write');
    return response.status;
  });
  const reads = [
    get('/admin/v1/usage/totals', adminKey),
    get('/admin/v1/accounts', adminKey),
    get('/admin/v1/accounts/default/keys', adminKey),
    get('/async/chat/completions', server.key),
    get('/v1/skills', server.key),
    server.post('/search', { query: 'how are keys revoked' }),
  ];
  for (const response of await Promise.all(reads)) {
    assert.equal(response.status, 200, `${response.url} ${await response.clone().text()}`);
    await response.text();
  }
  order.push('reads');
  other.exec('COMMIT');
  assert.equal(await write, 200);
  assert.deepEqual(order, ['reads', 'write']);
});

test('a server whose storage thread dies opens it again and goes on', async (t) => {
  const server = await spawnKillable(t);
  process.kill(server.pid, 'SIGUSR2');
  await server.said('the storage thread ended');
  await server.said('was opened again');
  const answer = await fetch(`${server.url}/generate_auth_token`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rootKey}` },
    body: '{}',
  });
  assert.equal(answer.status, 200);
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
});

test('a server whose storage thread dies again and again ends with one line that says why', async (t) => {
  const server = await spawnKillable(t);
  const gone = server.ended();
  process.kill(server.pid, 'SIGUSR2');
  const again = setInterval(() => process.kill(server.pid, 'SIGUSR2'), 20);
  t.after(async () => clearInterval(again));
  assert.equal(await gone, 1);
  const lines = server
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('nestor: '));
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /the store cannot be opened again \(.+\); see docs\/guide\/operations\.md/);
});

test('a second server on one embedded store ends with one line that names the first, and takes over from a dead one', async (t) => {
  const folder = temporaryFolder(t);
  const env = { NESTOR_ROOT_KEY: rootKey, NESTOR_DETECT: 'false', NESTOR_SANDBOX_RUNNER: 'off' };
  const first = await spawnServer(folder, env);
  t.after(() => first.end('SIGKILL'));
  const named = `process ${first.pid} on`;
  await assert.rejects(
    spawnServer(folder, env),
    new RegExp(
      `ended with 1: nestor: database: \\S+ is served by another server \\(${named}.*NESTOR_DATA.*PostgreSQL\n$`,
    ),
  );
  // Commands go on beside it.
  const keys = await spawnNestor(['accounts', 'list', '--json'], { NESTOR_DATA: folder });
  assert.equal(keys.code, 0, keys.err);
  await first.end('SIGKILL');
  const second = await spawnServer(folder, env);
  await second.end('SIGKILL');
});

async function spawnKillable(t: Parameters<typeof temporaryFolder>[0]) {
  const killer = new URL('storage-killer.ts', import.meta.url).href;
  const server = await spawnServer(temporaryFolder(t), {
    NESTOR_ROOT_KEY: rootKey,
    NESTOR_DETECT: 'false',
    NESTOR_SANDBOX_RUNNER: 'off',
    NODE_OPTIONS: `--import=${killer}`,
  });
  t.after(() => server.end('SIGKILL'));
  return server;
}
