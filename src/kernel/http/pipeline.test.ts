import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { suite, test } from 'node:test';
import { Type } from 'typebox';
import { operationOf, serve } from './made-up.fixture.ts';
import { ok, perMinute, perSecond } from './operation.ts';

/** The pipeline on made-up operations: what no operation of ours shows yet. */

suite('admission', () => {
  const headers = (key: string) => ({ authorization: `Bearer ${key}` });

  test('a denied group is 403 and takes no token', async (t) => {
    const made = operationOf(() => ok({}), { credentials: 'bearer', buckets: [perSecond('a', 1)] });
    const { url } = await serve(t, made);
    for (let i = 0; i < 3; i++) {
      const response = await fetch(`${url}/made`, { headers: headers('key-denied') });
      assert.equal(response.status, 403);
      assert.equal(response.headers.get('x-ratelimit-limit'), null);
      assert.equal(((await response.json()) as { error: { type: string } }).error.type, 'permission_denied');
    }
    assert.equal((await fetch(`${url}/made`, { headers: headers('key-other') })).status, 200);
  });

  test('two buckets: one from each or from none, and the tighter one is told', async (t) => {
    const made = operationOf(() => ok({}), {
      credentials: 'bearer',
      buckets: [perSecond('second', 3), perMinute('minute', 6)],
    });
    const { url, advance } = await serve(t, made);
    const ask = async () => {
      const response = await fetch(`${url}/made`, { headers: headers('key-1') });
      await response.text();
      const told = ['limit', 'remaining', 'used'].map((name) =>
        Number(response.headers.get(`x-ratelimit-${name}`)),
      );
      return [response.status, ...told, response.headers.get('retry-after-ms')];
    };
    assert.deepEqual(await ask(), [200, 3, 2, 1, null]);
    assert.deepEqual(await ask(), [200, 3, 1, 2, null]);
    assert.deepEqual(await ask(), [200, 3, 0, 3, null]);
    assert.deepEqual(await ask(), [429, 3, 0, 3, '334']);
    advance(1_000);
    assert.deepEqual(await ask(), [200, 6, 2, 4, null], 'the minute has 2 of 6 left, the second 2 of 3');
    assert.deepEqual(await ask(), [200, 6, 1, 5, null]);
    assert.deepEqual(await ask(), [200, 3, 0, 3, null], 'of two equally filled the per-second one');
    const [status, limit, , , wait] = await ask();
    assert.deepEqual([status, limit], [429, 6], 'the longer wait of the two that refuse');
    advance(Number(wait));
    assert.equal((await ask())[0], 200);
  });

  test('x-api-key counts where it is read, and Authorization decides where both are sent', async (t) => {
    const made = operationOf(({ principal }) => ok({ account: principal?.accountId }), {
      credentials: 'bearer or x-api-key',
      surface: 'messages',
    });
    const { url } = await serve(t, made);
    const statusOf = async (sent: Record<string, string>) =>
      (await fetch(`${url}/made`, { headers: sent })).status;
    assert.equal(await statusOf({ 'x-api-key': 'key-1' }), 200);
    assert.equal(await statusOf(headers('key-1')), 200);
    assert.equal(await statusOf({ ...headers('bad'), 'x-api-key': 'key-1' }), 401);
    assert.equal(await statusOf({ ...headers('key-1'), 'x-api-key': 'bad' }), 200);
    assert.equal(await statusOf({ authorization: 'Basic x', 'x-api-key': 'key-1' }), 401);
    assert.equal(await statusOf({ 'x-api-key': '' }), 401);
    const refused = await fetch(`${url}/made`);
    assert.equal(refused.headers.get('request-id'), refused.headers.get('x-request-id'));
    const {
      type,
      error,
      request_id: id,
    } = (await refused.json()) as { type: string; error: { code: number }; request_id: string };
    assert.deepEqual([type, error.code, id], ['error', 401, refused.headers.get('x-request-id')]);
  });
});

suite('calls', () => {
  test('parameters and query reach the handler; methods of one path are routed apart', async (t) => {
    const get = operationOf(({ params, query }) => ok({ id: params['id'], q: query.get('q') }), {
      id: 'one',
      paths: ['/made/{id}', '/alias/{id}'],
    });
    const del = operationOf(() => ok({ gone: true }), { id: 'two', method: 'DELETE', paths: ['/made/{id}'] });
    const { url } = await serve(t, get, del);
    assert.deepEqual(await (await fetch(`${url}/made/a%20b?q=%C3%A9&q=2`)).json(), { id: 'a b', q: 'é' });
    assert.deepEqual(await (await fetch(`${url}/alias/x`)).json(), { id: 'x', q: null });
    assert.deepEqual(await (await fetch(`${url}/made/x`, { method: 'DELETE' })).json(), { gone: true });
    const wrong = await fetch(`${url}/made/x`, { method: 'PUT' });
    assert.deepEqual(
      [wrong.status, wrong.headers.get('allow')?.split(', ').sort()],
      [405, ['DELETE', 'GET', 'HEAD']],
    );
    assert.equal((await fetch(`${url}/made/${'x'.repeat(90)}`)).status, 200);
  });

  test('an empty parameter and a trailing slash are unknown paths', async (t) => {
    const { url } = await serve(
      t,
      operationOf(() => ok({}), { paths: ['/made/{id}', '/made/{id}/files/{file}'] }),
    );
    for (const path of [
      '/made/',
      '/made/x/',
      '/made//files/y',
      '/made/x/files/',
      '/made/x/files',
      '/made/x/y',
      '/made',
    ]) {
      assert.equal((await fetch(url + path)).status, 404, path);
    }
  });

  test('an empty body is {} where the operation says so, and 422 has both forms where the surface says so', async (t) => {
    const schema = Type.Object(
      { n: Type.Optional(Type.Integer({ maximum: 3 })) },
      { additionalProperties: false },
    );
    const made = operationOf(({ body }) => ok({ body }), {
      method: 'POST',
      surface: 'search',
      body: { schema, bytesMax: 100, emptyAllowed: true },
    });
    const { url } = await serve(t, made);
    const post = async (body: string) => {
      const response = await fetch(`${url}/made`, { method: 'POST', body });
      return [response.status, await response.json()] as const;
    };
    assert.deepEqual(await post(''), [200, { body: {} }]);
    const [status, told] = await post('{"n":4}');
    assert.equal(status, 422);
    assert.deepEqual(told, {
      detail: [
        { loc: ['body', 'n'], msg: 'Input should be less than or equal to 3', type: 'less_than_equal' },
      ],
      error: {
        message: 'n: Input should be less than or equal to 3',
        type: 'validation_error',
        code: 422,
        param: 'n',
      },
    });
    assert.equal((await post(`{"n":1${' '.repeat(100)}}`))[0], 413);
  });

  test('what is no JSON object is 422 in both forms on search and embeddings', async (t) => {
    const made = operationOf(() => ok({}), {
      method: 'POST',
      surface: 'search',
      body: { schema: Type.Object({}), bytesMax: 100 },
    });
    const { url } = await serve(t, made);
    for (const body of ['', '{', '[]', 'x']) {
      const response = await fetch(`${url}/made`, { method: 'POST', body });
      assert.equal(response.status, 422, `contract 2.2: ${body}`);
      assert.deepEqual(Object.keys((await response.json()) as object), ['detail', 'error']);
    }
  });

  test('CORS: a listed origin may call and ask, others may not', async (t) => {
    const { url } = await serve(
      t,
      operationOf(() => ok({})),
    );
    const allowed = await fetch(`${url}/made`, { headers: { origin: 'https://app.example' } });
    assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://app.example');
    assert.match(
      String(allowed.headers.get('access-control-expose-headers')),
      /x-request-id, retry-after, retry-after-ms/,
    );
    const preflight = await fetch(`${url}/made`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example' },
    });
    assert.equal(preflight.status, 204);
    assert.match(String(preflight.headers.get('x-request-id')), /^[0-9a-f-]{36}$/);
    const other = await fetch(`${url}/made`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example' },
    });
    assert.equal(other.status, 405);
    assert.equal(other.headers.get('access-control-allow-origin'), null);
  });

  test('what a handler throws is told once, logged with its cause, and names no internals', async (t) => {
    const { url, records } = await serve(
      t,
      operationOf(() => {
        throw new TypeError('at /home/me/secret.ts:1:1');
      }),
    );
    const response = await fetch(`${url}/made`);
    assert.deepEqual(
      [response.status, ((await response.json()) as { error: { message: string } }).error.message],
      [500, 'Internal server error'],
    );
    await delay(2);
    assert.ok(records[0]?.fault?.cause instanceof TypeError);
  });
});
