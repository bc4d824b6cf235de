import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { startServer } from '../support/server.ts';

const acme = 'configured-key-of-acme-0123456789';
const other = 'configured-key-of-other-0123456789';
const config = JSON.stringify({
  accounts: { storage_mb: 1 },
  keys: [
    { key: acme, account: 'acme', credits_purchased_usd: 5_000 },
    { key: other, account: 'other', credits_purchased_usd: 5_000 },
  ],
  async: { retention_days: 7 },
});
const mebibyte = 1_048_576;

async function open(t: TestContext, folder: string) {
  const scope = {
    closers: [] as (() => Promise<void>)[],
    after: (close: () => Promise<void>) => void scope.closers.push(close),
  };
  const server = await startServer(scope, {
    config,
    env: { NESTOR_DATABASE_URL: `sqlite:${join(folder, 'nestor.db')}` },
  });
  const close = async () => {
    for (const closer of scope.closers.splice(0).toReversed()) await closer();
  };
  t.after(close);
  const send = (key: string, path: string, body?: BodyInit) =>
    fetch(server.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body }),
    });
  const job = (key: string, chars: number) =>
    send(
      key,
      '/async/chat/completions',
      JSON.stringify({ request: { model: 'svc', messages: [{ role: 'user', content: 'x'.repeat(chars) }] } }),
    );
  const account = async (key: string) =>
    (await (await send(key, '/v1/account')).json()) as {
      readonly stored_bytes: number;
      readonly storage_quota_bytes: number;
    };
  return { send, job, account, close };
}

suite('the quota of stored bytes', () => {
  test('holds for a conversation that goes on with responses which are not stored', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'nestor-quota-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const { send } = await open(t, folder);
    const made = await send(acme, '/openai/v1/conversations', '{}');
    const { id: conversation } = (await made.json()) as { readonly id: string };
    const request = {
      conversation,
      input: 'x'.repeat(600_000),
      model: 'svc/svc',
      store: false,
      generate: false,
    };
    const statuses: number[] = [];
    for (let turn = 0; turn < 2; turn++)
      statuses.push((await send(acme, '/openai/v1/responses', JSON.stringify(request))).status);
    assert.deepEqual(statuses, [200, 413]);
  });

  test('a full account is told before anything is done, others are not, and the count survives a restart', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'nestor-quota-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const first = await open(t, folder);
    assert.deepEqual(await first.account(acme), {
      ...(await first.account(acme)),
      stored_bytes: 0,
      storage_quota_bytes: mebibyte,
    });
    assert.equal((await first.job(acme, 600_000)).status, 200);
    assert.ok((await first.account(acme)).stored_bytes > 600_000);
    assert.equal((await first.job(acme, 600_000)).status, 200);
    const refusedJob = await first.job(acme, 10);
    assert.equal(refusedJob.status, 413);
    const { error } = (await refusedJob.json()) as { readonly error: Record<string, unknown> };
    assert.deepEqual([error['type'], error['code']], ['storage_quota_exceeded', 413]);
    assert.equal((await first.job(other, 10)).status, 200);

    const agent = (key: string, more: object) =>
      first.send(key, '/v1/agent', JSON.stringify({ model: 'svc/svc', input: 'x', ...more }));
    const refused = await agent(acme, {});
    assert.equal(refused.status, 413);
    const told = (await refused.json()) as { readonly error: Record<string, unknown> };
    assert.equal(told.error['code'], 'storage_quota_exceeded');
    const upload = new FormData();
    upload.append('file', new Blob(['PK']), 'a.zip');
    assert.equal((await first.send(acme, '/v1/skills', upload)).status, 413);
    assert.notEqual((await agent(acme, { store: false })).status, 413);

    const { stored_bytes: before } = await first.account(acme);
    assert.ok(before > mebibyte);
    await first.close();
    const second = await open(t, folder);
    assert.ok((await second.account(acme)).stored_bytes >= before);
    assert.equal((await second.job(acme, 10)).status, 413);
  });
});
