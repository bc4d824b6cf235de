import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { spawnNestor } from '../commands/support.ts';
import { exampleBodies } from '../support/examples.ts';
import { postgresSkipReason, startPostgres, testPassword } from '../support/postgres.ts';
import { temporaryFolder } from '../storage/temporary.ts';
import { spawnServer } from './server-process.ts';
import { freePort } from '../support/free-port.ts';

/** Every secret that an operator gives to a server, and nothing else in a test is spelled like one of them. */
const secrets = {
  rootKey: 'root-key-secret-0123456789',
  adminKey: 'admin-key-secret-0123456789',
  modelKey: 'sk-model-secret-0123456789',
  searchKey: 'search-secret-0123456789',
  database: testPassword,
};

/** A model server that refuses, and repeats the key in its answer, as OpenAI does. */
async function startRefusing(t: TestContext): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(String(request.headers.authorization));
    const message = `Incorrect API key provided: ${request.headers.authorization}`;
    response.writeHead(401, { 'content-type': 'application/json', 'x-key': secrets.modelKey });
    response.end(JSON.stringify({ error: { message, code: 'invalid_api_key' } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test(
  'no secret is in a log, a command line, an answer, the metrics, the printed configuration, an export or a file',
  { skip: postgresSkipReason() },
  async (t) => {
    const postgres = await startPostgres();
    t.after(() => postgres.close());
    const model = await startRefusing(t);
    const metricsPort = await freePort();
    const data = temporaryFolder(t);
    // Secrets in the environment are what it is for: /proc/PID/environ is the operator's and is not looked at.
    const env = {
      NESTOR_DATABASE_URL: await postgres.createStore('without docs'),
      NESTOR_ROOT_KEY: secrets.rootKey,
      NESTOR_ADMIN_KEY: secrets.adminKey,
      NESTOR_METRICS_PORT: String(metricsPort),
      NESTOR_LOG_LEVEL: 'trace',
      NESTOR_LOG_FORMAT: 'json',
      MODEL_KEY: secrets.modelKey,
      SEARCH_KEY: secrets.searchKey,
    };
    const config = {
      decisions: { engine: 'logprobs', upstreams: [{ url: model.url, key: '${MODEL_KEY}', model: 'gpt-x' }] },
      search: { engines: [{ type: 'brave', url: model.url, key: '${SEARCH_KEY}' }] },
    };
    writeFileSync(join(data, 'nestor.yaml'), JSON.stringify(config));
    const server = await spawnServer(data, env);
    t.after(() => server.end('SIGKILL'));

    const seen: string[] = [];
    const shownOnce: string[] = [];
    const call = async (method: string, path: string, key: string | null, body?: unknown) => {
      const response = await fetch(server.url + path, {
        method,
        headers: key === null ? {} : { authorization: `Bearer ${key}`, 'x-api-key': key, cookie: key },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const made = (JSON.parse(text) as { secret?: string; auth_token?: string }) ?? {};
      const secret = made.secret ?? made.auth_token;
      if (secret !== undefined) shownOnce.push(secret);
      // What is shown once is shown here; the rest of the answer is looked at.
      seen.push(
        `${method} ${path} ${response.status}`,
        JSON.stringify([...response.headers]),
        secret === undefined ? text : text.replace(secret, ''),
      );
      return { status: response.status, made };
    };
    const { rootKey, adminKey } = secrets;
    const decision = exampleBodies['createDecision'];
    const everything = async () => {
      await call('POST', '/v1/decisions', rootKey, decision);
      await call('POST', '/v1/decisions', adminKey, decision);
      await call('POST', '/v1/decisions', 'wrong-key-0123456789', decision);
      await call('POST', '/v1/decisions', rootKey, '{"broken":');
      await call('POST', `/nowhere?key=${rootKey}`, rootKey, decision);
      const { made } = await call('POST', '/generate_auth_token', rootKey, { token_name: 'of a test' });
      await call('POST', '/revoke_auth_token', rootKey, { auth_token: made.auth_token ?? 'svc-none' });
      await call('POST', '/revoke_auth_token', rootKey, { auth_token: rootKey });
      await call('POST', '/admin/v1/accounts', adminKey, { id: 'acme' });
      await call('POST', '/admin/v1/accounts', rootKey, { id: 'acme' });
      await call('POST', '/admin/v1/accounts/acme/keys', adminKey, { name: 'ci' });
      await call('GET', '/admin/v1/accounts/acme/keys', adminKey);
      await call('GET', '/admin/v1/accounts/default/keys', adminKey);
      await call('POST', '/admin/v1/accounts/acme/purchases', adminKey, { purchase_id: 'p', amount_usd: 50 });
      await call('POST', '/admin/v1/accounts/acme/purchases', adminKey, { purchase_id: 'p', amount_usd: 60 });
      await call('GET', '/admin/v1/usage/totals?by=account,key', adminKey);
      await call('GET', `/admin/v1/usage?page_token=${adminKey}`, adminKey);
      await call('GET', '/openapi.json', null);
      await call('GET', '/readyz', null);
    };
    await everything();
    assert.ok(shownOnce.length >= 2 && seen.includes('POST /admin/v1/accounts/acme/keys 201'));
    seen.push(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text());
    if (existsSync('/proc')) seen.push(readFileSync(`/proc/${server.pid}/cmdline`, 'utf8'));
    for (const argv of [
      ['config'],
      ['export', '-'],
      ['export', join(data, 'whole.jsonl')],
      ['keys', 'list', 'acme'],
      ['keys', 'list', 'acme', '--json'],
      ['accounts', 'show', 'acme', '--json'],
      ['usage', '--by', 'account,key'],
    ]) {
      const { out, err } = await spawnNestor(argv, { NESTOR_DATA: data, ...env });
      seen.push(out, err);
    }

    // And all of it once more while the store is away.
    await postgres.stop();
    await everything();
    for (const argv of [['export', '-'], ['accounts'], ['serve']]) {
      const { out, err, code } = await spawnNestor(argv, { NESTOR_DATA: data, ...env });
      assert.equal(code, 1, err);
      seen.push(out, err);
    }
    await server.end('SIGTERM');

    const files = readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && file.name !== 'nestor.yaml')
      .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
    assert.ok(model.asked.includes(`Bearer ${secrets.modelKey}`), 'the key of the model was used');
    assert.ok(server.stderr().split('\n').length > 30, 'the log was looked at');
    assert.ok(files.some((content) => content.startsWith('{"format":"nestor-export"')));
    assert.match(server.stderr(), /"level":50/, 'failures were logged');
    const texts = [...seen, ...files, server.stdout(), server.stderr()];
    for (const secret of [...Object.values(secrets), ...shownOnce]) {
      const forms = [secret, Buffer.from(secret).toString('base64').slice(0, 20), encodeURIComponent(secret)];
      for (const text of texts) {
        // A caller may put a key into a path or a query; only this test's own record of it has that.
        const told = text.startsWith('POST /nowhere') || text.startsWith('GET /admin/v1/usage?') ? '' : text;
        for (const form of forms) assert.ok(!told.includes(form), `${secret} in ${told.slice(0, 400)}`);
      }
    }
  },
);
