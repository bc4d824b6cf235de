import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { startServer, type TestServer } from '../support/server.ts';

const questions = { q: { type: 'noul', instructions: 'Is it raining?' } };
const decision = { model: 'svc-decider-v1-27b', state: 'It pours.', questions };

type Generated = { auth_token: string; created_at_epoch_seconds: number; token_name?: string };

async function generate({ post }: TestServer, body: unknown = {}, key?: string): Promise<Generated> {
  const response = await post('/generate_auth_token', body, key === undefined ? {} : bearer(key));
  assert.equal(response.status, 200);
  return (await response.json()) as Generated;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const statusWith = async ({ post }: TestServer, key: string) =>
  (await post('/v1/decisions', decision, bearer(key))).status;

suite('tokens', () => {
  test('trap 73: a generated token works at once, is shown once, is stored as a hash, and fails right after revocation', async (t) => {
    const server = await startServer(t);
    const askedAtMs = Date.now();
    const response = await server.post('/generate_auth_token', { token_name: 'ci' });
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const record = (await response.json()) as Generated;
    assert.deepEqual(Object.keys(record).toSorted(), [
      'auth_token',
      'created_at_epoch_seconds',
      'token_name',
    ]);
    assert.match(record.auth_token, /^svc-[\w-]{43}$/);
    const createdAtMs = record.created_at_epoch_seconds * 1_000;
    assert.ok(createdAtMs > askedAtMs - 1_000 && createdAtMs <= Date.now() + 1_000, `${createdAtMs}`);
    assert.equal(await statusWith(server, record.auth_token), 200);

    const revoked = await server.post('/revoke_auth_token', { auth_token: record.auth_token });
    assert.deepEqual([revoked.status, await revoked.json()], [200, {}]);
    assert.equal(await statusWith(server, record.auth_token), 401);

    const lines = JSON.stringify(server.log);
    assert.equal(lines.includes(record.auth_token), false);
    for (const name of await readdir(server.data)) {
      if (!name.startsWith('nestor.db')) continue;
      assert.equal((await readFile(`${server.data}/${name}`)).includes(record.auth_token), false, name);
    }
  });

  test('a name is told only when one was given, and an empty body is a request without one', async (t) => {
    const server = await startServer(t);
    for (const body of ['', '{}', { token_name: null }, { token_name: '' }, { other: 1 }]) {
      assert.equal('token_name' in (await generate(server, body)), false);
    }
    const long = await server.post('/generate_auth_token', { token_name: 'x'.repeat(129) });
    assert.equal(long.status, 400);
    const { error } = (await long.json()) as { error: object };
    assert.deepEqual(error, {
      message: 'token_name must be a string of at most 128 characters',
      type: 'invalid_request',
      code: 400,
      param: 'token_name',
    });
  });

  test('a token may generate others and revoke itself, and keys rotate without interruption', async (t) => {
    const server = await startServer(t);
    const { auth_token: first } = await generate(server);
    const { auth_token: second } = await generate(server, {}, first);
    assert.deepEqual([await statusWith(server, first), await statusWith(server, second)], [200, 200]);
    const revoked = await server.post('/revoke_auth_token', { auth_token: first }, bearer(first));
    assert.equal(revoked.status, 200);
    assert.deepEqual([await statusWith(server, first), await statusWith(server, second)], [401, 200]);
    const again = await server.post('/revoke_auth_token', { auth_token: first }, bearer(second));
    assert.deepEqual([again.status, await again.json()], [200, {}]);
  });

  test('what cannot be revoked is told apart: unknown, foreign, a root key, nothing', async (t) => {
    const config = JSON.stringify({ keys: [{ key: 'key-of-another-account', account: 'other' }] });
    const server = await startServer(t, { config });
    const { auth_token: foreign } = await generate(server, {}, 'key-of-another-account');
    const tell = async (body: unknown) => {
      const response = await server.post('/revoke_auth_token', body);
      const { error } = (await response.json()) as { error: { message: string; code: number } };
      return [response.status, error.code, error.message];
    };
    assert.deepEqual(await tell({ auth_token: 'svc-unknown' }), [404, 404, 'token not found']);
    assert.deepEqual(await tell({ auth_token: foreign }), [404, 404, 'token not found']);
    assert.deepEqual(await tell({ auth_token: 'key-of-another-account' }), [404, 404, 'token not found']);
    const configured = 'configured keys are removed in configuration';
    assert.deepEqual(await tell({ auth_token: server.key }), [400, 400, configured]);
    for (const body of [{}, { auth_token: '' }, { auth_token: 5 }]) assert.equal((await tell(body))[0], 400);
    assert.equal((await server.post('/revoke_auth_token', '')).status, 400);
    assert.equal(await statusWith(server, foreign), 200);
  });

  test('tokens of the same data folder survive a restart, revoked ones too', async (t) => {
    const first = await startServer(t);
    const [kept, gone] = [await generate(first), await generate(first)];
    await first.post('/revoke_auth_token', { auth_token: gone.auth_token });
    await first.close();
    const second = await startServer(t, { data: first.data });
    assert.equal(await statusWith(second, kept.auth_token), 200);
    assert.equal(await statusWith(second, gone.auth_token), 401);
  });
});
