import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { after, suite, test } from 'node:test';
import type { JsonBodySpec, Operation } from '../../src/http/operation.ts';
import { operations } from '../../src/operations/index.ts';
import { createManualClock } from '../support/clock.ts';
import { scriptedEngine } from '../support/engines.ts';
import { exampleParams, liveBodies } from '../support/examples.ts';
import { createClient, errorOf, jsonOf, type Received, type Sent } from '../support/http.ts';
import { startServer } from '../support/server.ts';
import { assertEnvelope, assertError, assertSuccess, keysOf } from '../support/strict.ts';
import { settings } from '../support/settings.ts';

/** Every operation, on every one of its paths, keeps what the contract says of all operations. */
const clock = createManualClock();
const deniedKey = 'denied-key-0123456789';
const config = `
keys:
  - key: ${deniedKey}
    account: denied
    deny: [decisions, agent, chat, async, search, embeddings, skills, tokens, router]
`;
const server = await startServer({ after }, { clock, config, decisions: scriptedEngine() });
const send = createClient(server.url);
after(() => {
  send.close();
});

const bodies = await liveBodies(server);

const list: readonly Operation<never>[] = operations(settings);
const unauthorized = { type: 'invalid_api_key', code: 401, message: 'Invalid API key provided.' };
const bearer = { authorization: `Bearer ${server.key}` };
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE', 'LOCK'];

function toSent(operation: Operation<never>, path: string, more: Partial<Sent> = {}): Sent {
  const body = operation.body ? JSON.stringify(bodies[operation.id]) : undefined;
  return {
    method: operation.method,
    path,
    ...(body === undefined ? {} : { body }),
    ...more,
    headers: { ...(operation.credentials === 'none' ? {} : bearer), ...more.headers },
  };
}

// Every bucket fills up, so that one test does not eat another's tokens.
const refill = () => clock.advance(120_000);

test('every operation with a body has an example, and ids and paths are unique', () => {
  for (const { id, body } of list) assert.ok(!body || bodies[id] !== undefined, id);
  assert.equal(new Set(list.map(({ id }) => id)).size, list.length);
  const routes = list.flatMap(({ method, paths }) => paths.map((path) => `${method} ${path}`));
  assert.equal(new Set(routes).size, routes.length);
});

/** A path that leads somewhere. */
const toPath = (template: string) =>
  template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => exampleParams[name] ?? whole);

for (const operation of list) {
  for (const path of operation.paths.map(toPath)) {
    suite(`${operation.method} ${path}`, () => {
      commonChecks(operation, path);
      if (operation.credentials !== 'none') credentialChecks(operation, path);
      if (operation.body?.schema) bodyChecks(operation, path, operation.body);
      if (operation.buckets.length > 0) bucketChecks(operation, path);
    });
  }
}

function commonChecks(operation: Operation<never>, path: string): void {
  const { surface } = operation;

  test('a valid request is answered as declared, twice with the same keys', async () => {
    refill();
    const [one, two] = [await send(toSent(operation, path)), await send(toSent(operation, path))];
    for (const received of [one, two]) assertSuccess(received, operation, path);
    assert.deepEqual(keysOf(jsonOf(one)), keysOf(jsonOf(two)));
    assert.notEqual(one.headers['x-request-id'], two.headers['x-request-id']);
    assert.deepEqual(Object.keys(one.headers).sort(), Object.keys(two.headers).sort());
  });

  test('the request id is made here and never copied; tolerated headers change nothing', async () => {
    refill();
    const id = '00000000-0000-4000-8000-000000000000';
    const headers = {
      'x-request-id': id,
      'idempotency-key': 'a',
      accept: 'text/html',
      'accept-encoding': 'gzip, br',
      'content-type': 'text/plain',
      'openai-organization': 'o',
      'x-stainless-lang': 'js',
      'x-usage-tier': '0',
      'http-referer': 'https://a.example',
    };
    const received = await send(toSent(operation, `${path}?beta=true&a=%ZZ`, { headers }));
    assertSuccess(received, operation, path);
    assert.notEqual(received.headers['x-request-id'], id);
    assert.equal(received.headers['content-encoding'], undefined);
  });

  test('a wrong method is 405 with the methods of the path, without credentials', async () => {
    const known = list.filter(({ paths }) => paths.map(toPath).includes(path)).map(({ method }) => method);
    const allowed = known.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    for (const method of methods.filter((name) => !allowed.some((one) => one === name))) {
      const received = await send({ method, path });
      if (method === 'HEAD') {
        assert.equal(received.status, 405);
        assert.equal(received.text, '');
      } else assertError(received, surface, 405, `${method} ${path}`);
      assert.deepEqual(String(received.headers.allow).split(', ').sort(), [...allowed].sort(), method);
      if (method !== 'HEAD') assert.equal(errorOf(received).type, 'method_not_allowed');
    }
  });

  test('a trailing slash, a double slash and another letter case are unknown paths', async () => {
    const endsInName = operation.paths.some((one) => one.endsWith('}') && toPath(one) === path);
    const cased = path.replace(/[a-z]/, (letter) => letter.toUpperCase());
    const variants = [
      `${path}/`,
      `/${path}`,
      path.replace(/(.)\//, '$1//'),
      cased,
      // Where a path ends in a name, these are other names.
      ...(endsInName ? [] : [`${path};a=b`, `${path}%20`]),
    ];
    for (const variant of new Set(variants.filter((one) => one !== path))) {
      for (const headers of [{}, bearer]) {
        const received = await send({ method: operation.method, path: variant, headers });
        assertError(received, 'plain', 404, variant);
        assert.equal(errorOf(received).type, 'not_found');
        assert.equal(errorOf(received).code, 404);
      }
    }
  });

  if (operation.method !== 'GET') return;
  test('HEAD answers like GET without the body', async () => {
    refill();
    const head = await send(toSent(operation, path, { method: 'HEAD' }));
    refill();
    const get = await send(toSent(operation, path));
    assert.equal(head.status, get.status);
    assert.equal(head.text, '');
    assert.equal(head.headers['content-length'], get.headers['content-length']);
    assert.deepEqual(Object.keys(head.headers).sort(), Object.keys(get.headers).sort());
  });

  test('a body on GET is ignored and the connection still serves', async () => {
    refill();
    assertSuccess(await send(toSent(operation, path, { body: '{"a":' })), operation, path);
    assertSuccess(await send(toSent(operation, path)), operation, path);
  });
}

function credentialChecks(operation: Operation<never>, path: string): void {
  const { surface } = operation;
  const refused: readonly (readonly [string, Record<string, string>])[] = [
    ['no credentials', {}],
    ['an unknown key', { authorization: 'Bearer wrong-key-0123456789' }],
    ['an empty key', { authorization: 'Bearer ' }],
    ['a scheme alone', { authorization: 'Bearer' }],
    ['another scheme', { authorization: `Basic ${server.key}` }],
    ['no scheme', { authorization: server.key }],
    ['a scheme without a space', { authorization: `Bearer${server.key}` }],
    ['a key with more after it', { authorization: `Bearer ${server.key} x` }],
    ['a key in another letter case', { authorization: `Bearer ${server.key.toUpperCase()}` }],
    ['a very long key', { authorization: `Bearer ${'k'.repeat(8_000)}` }],
    ['a name of the language', { authorization: 'Bearer __proto__' }],
    [
      'a wrong Authorization beside a right x-api-key',
      { authorization: 'Bearer no', 'x-api-key': server.key },
    ],
  ];

  test('what is no valid key is 401 before anything else is looked at', async () => {
    for (const [about, headers] of refused) {
      for (const body of ['{"model":', JSON.stringify(bodies[operation.id] ?? {})]) {
        const sent = { method: operation.method, path, headers };
        const received = await send(operation.body ? { ...sent, body } : sent);
        assertError(received, surface, 401, about);
        const { type, code, message } = errorOf(received);
        assert.deepEqual({ type, code, message }, unauthorized, about);
      }
    }
  });

  test('the key is found whatever the letter case of the scheme and the spaces around it', async () => {
    refill();
    for (const authorization of [
      `bearer ${server.key}`,
      `BEARER   ${server.key}`,
      `Bearer ${server.key}  `,
    ]) {
      assertSuccess(
        await send(toSent(operation, path, { headers: { authorization } })),
        operation,
        authorization,
      );
    }
  });

  test(`x-api-key alone is ${operation.credentials === 'bearer' ? 'ignored' : 'accepted'}`, async () => {
    refill();
    const received = await send({ ...toSent(operation, path), headers: { 'x-api-key': server.key } });
    if (operation.credentials === 'bearer') assertError(received, surface, 401, path);
    else assertSuccess(received, operation, path);
  });

  test('a group that is denied to a key is 403', async () => {
    const headers = { authorization: `Bearer ${deniedKey}` };
    const received = await send(toSent(operation, path, { headers }));
    assertError(received, surface, 403, path);
  });
}

function bodyChecks(operation: Operation<never>, path: string, spec: JsonBodySpec): void {
  const { bytesMax, emptyAllowed } = spec;
  const { surface } = operation;
  const valid = JSON.stringify(bodies[operation.id]);
  const invalidStatus = ['search', 'embeddings'].includes(surface) ? 422 : 400;
  const refuse = async (more: Partial<Sent>, message: string | RegExp, status = invalidStatus) => {
    refill();
    const received = await send(toSent(operation, path, more));
    assertError(received, surface, status, String(message));
    const error = errorOf(received);
    if (typeof message === 'string') assert.equal(error.message, message);
    else assert.match(error.message, message);
    return error;
  };

  test('what is no JSON object is refused in the documented words', async () => {
    const notJson = 'Request body is not valid JSON';
    const wrong: readonly (string | Buffer)[] = [
      '',
      ' ',
      '{',
      `${valid}x`,
      `${valid}${valid}`,
      `\ufeff${valid}`,
      Buffer.from(valid, 'utf16le'),
      Buffer.concat([
        Buffer.from(valid.slice(0, -1)),
        Buffer.from(',"a":"'),
        Buffer.from([0xc3, 0x28]),
        Buffer.from('"}'),
      ]),
      Buffer.concat([
        Buffer.from(valid.slice(0, -1)),
        Buffer.from(',"a":"'),
        Buffer.from([0xed, 0xa0, 0x80]),
        Buffer.from('"}'),
      ]),
      "{'model':'x'}",
      '{"a":1,}',
      '{"a":NaN}',
      '{"a":01}',
      '{"a":"\n"}',
      '{/**/}',
      'undefined',
    ];
    for (const body of wrong) {
      if (body === '' && emptyAllowed === true) continue;
      assert.equal((await refuse({ body }, notJson)).param, null);
      await refuse({ body, chunked: true }, notJson);
    }
    for (const body of ['[]', `[${valid}]`, 'null', '1', '"a"', 'true']) {
      assert.equal((await refuse({ body }, 'Request body must be a JSON object')).param, null);
    }
  });

  test('a valid body is accepted in every form that JSON has', async () => {
    refill();
    for (const body of [valid, ` \r\n\t${valid}\n`, JSON.stringify(JSON.parse(valid), null, 2)]) {
      assertSuccess(await send(toSent(operation, path, { body })), operation, path);
      assertSuccess(await send(toSent(operation, path, { body, chunked: true })), operation, path);
    }
  });

  test('Content-Encoding other than identity is 400', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'GZIP', 'gzip, identity', 'x']) {
      const sent = { body: gzipSync(valid), headers: { 'content-encoding': encoding } };
      await refuse(sent, /Content-Encoding/, 400);
    }
    refill();
    const headers = { 'content-encoding': 'Identity' };
    assertSuccess(await send(toSent(operation, path, { headers })), operation, path);
  });

  const ignoresUnknown = !JSON.stringify(operation.body?.schema).endsWith('"additionalProperties":false}');

  test('an unknown top-level field is refused by name, or ignored where the contract says so', async () => {
    refill();
    if (ignoresUnknown) {
      const body = `${valid.slice(0, -1)},"extra":1}`;
      assertSuccess(await send(toSent(operation, path, { body })), operation, path);
      return;
    }
    const names = ['extra', '__proto__', 'constructor', 'Model', 'model ', '', '1', 'a"b', 'a\nb', '😀'];
    for (const name of names) {
      const body = `${valid.slice(0, -1)},${JSON.stringify(name)}:1}`;
      const { param, type } = await refuse({ body }, `Unknown field "${name}"`);
      assert.equal(param, name);
      if (surface === 'decisions' || surface === 'systemone') assert.equal(type, 'invalid_request_error');
    }
  });

  const tooLarge = `request body exceeds the maximum allowed size of ${bytesMax} bytes`;
  const assertTooLarge = (received: Received) => {
    assertError(received, surface, 413, path);
    const { message, type, code, param } = errorOf(received);
    assert.deepEqual(
      { message, type, param },
      { message: tooLarge, type: 'invalid_request_error', param: null },
    );
    if (surface === 'decisions' || surface === 'messages') assert.equal(code, null);
    assert.equal(received.headers.connection, 'close');
  };

  test('a body at the limit is 413, by Content-Length and by counting', async () => {
    refill();
    const body = Buffer.alloc(bytesMax, 0x20);
    const headers = { 'content-length': String(bytesMax) };
    for (const sent of [{ body }, { body, chunked: true }, { headers, body: '' }])
      assertTooLarge(await send(toSent(operation, path, sent)));
  });

  test('401 comes before 413', async () => {
    const body = Buffer.alloc(bytesMax, 0x20);
    assertError(await send({ method: operation.method, path, body }), surface, 401, path);
  });
}

function bucketChecks(operation: Operation<never>, path: string): void {
  const { surface, buckets } = operation;

  test('a full bucket admits exactly its capacity, then waits as long as it says', async () => {
    refill();
    const first = await send(toSent(operation, path));
    const limit = Number(first.headers['x-ratelimit-limit']);
    assert.ok(limit > 0);
    assert.equal(Number(first.headers['x-ratelimit-remaining']), limit - 1);
    const others = await Promise.all(Array.from({ length: limit - 1 }, () => send(toSent(operation, path))));
    for (const received of others) {
      assert.equal(received.status, 200);
      assertEnvelope(received, surface, path);
      assert.ok(Number(received.headers['x-ratelimit-reset']) * 1_000 >= clock.now());
    }
    const remaining = others.map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    assert.deepEqual(
      remaining.sort((a, b) => a - b),
      Array.from({ length: limit - 1 }, (_, index) => index),
    );

    const refused = await send(toSent(operation, path));
    assertError(refused, surface, 429, path);
    const { type, message, param } = errorOf(refused);
    const expected = surface === 'messages' ? 'overloaded_error' : 'too_many_requests';
    assert.equal(type, expected);
    assert.equal(message, 'Request rate limit exceeded, please try again later.');
    assert.ok(param === null || (surface === 'agent' && param === ''));
    assert.equal(refused.headers['x-ratelimit-remaining'], '0');
    assert.equal(refused.headers['x-ratelimit-used'], refused.headers['x-ratelimit-limit']);
    assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/);
    assert.match(String(refused.headers['retry-after-ms']), /^[1-9]\d*$/);
    const waitMs = Number(refused.headers['retry-after-ms']);
    assert.equal(Number(refused.headers['retry-after']), Math.max(1, Math.ceil(waitMs / 1_000)));
    // Of several buckets the one that is told is the one that refused.
    const told = buckets.filter(({ capacity }) => [capacity].flat().includes(limit));
    const windowMs = Math.max(...told.map((bucket) => bucket.windowMs));
    assert.equal(waitMs, Math.ceil(windowMs / limit), 'one token comes back after 1/rate');

    clock.advance(waitMs);
    assert.equal((await send(toSent(operation, path))).status, 200);
    assert.equal((await send(toSent(operation, path))).status, 429);
  });

  test('429 comes before the body is read', async () => {
    if (!operation.body?.schema) return;
    const body = Buffer.alloc(operation.body.bytesMax, 0x20);
    assertError(await send(toSent(operation, path, { body })), surface, 429, path);
    assertError(await send(toSent(operation, path, { body: '{' })), surface, 429, path);
    refill();
  });

  test('refused requests with 401, 404 and 405 take no token, a request that fails later does', async () => {
    refill();
    await send({ method: operation.method, path });
    await send({ method: operation.method, path: `${path}/`, headers: bearer });
    await send({ method: 'PATCH', path, headers: bearer });
    const received = await send(toSent(operation, path, operation.body ? { body: '{' } : {}));
    if (operation.credentials === 'none') return;
    const { 'x-ratelimit-used': used, 'x-ratelimit-reset': reset } = received.headers;
    assert.equal(used, '1');
    assert.ok(Number(reset) * 1_000 >= clock.now());
    assert.equal((await send(toSent(operation, path))).headers['x-ratelimit-used'], '2');
  });
}
