import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { NativeResponse } from '../support/answers.ts';
import { createManualClock } from '../support/clock.ts';
import { decisionPaths, exampleOf, nativePaths, openDecisions, surfaceOf } from '../support/decisions.ts';
import { scriptedEngine } from '../support/engines.ts';
import { ask, model, openAiBody } from '../support/examples.ts';
import { errorOf, jsonOf, type Received } from '../support/http.ts';
import { startServer } from '../support/server.ts';
import { assertError } from '../support/strict.ts';

/** Contract 18, general: what clients break on. The numbers are the contract's. */

const { bearer, post, send, server } = await openDecisions({ after });

test('trap 1: every response has its own x-request-id', async () => {
  const seen = new Set<unknown>();
  const requests = [
    send({ path: '/healthz' }),
    send({ path: '/nothing' }),
    send({ method: 'DELETE', path: '/v1/decisions' }),
    post('/v1/decisions', '{', {}),
    post('/v1/decisions', '{'),
    post('/v1/decisions', Buffer.alloc(33_554_432)),
    post('/v1/decisions', exampleOf('/v1/decisions')),
    send({ method: 'HEAD', path: '/v1/models' }),
  ];
  const statuses = (await Promise.all(requests)).map(({ status, headers }) => {
    seen.add(headers['x-request-id']);
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
    return status;
  });
  assert.deepEqual(statuses, [200, 404, 405, 401, 400, 413, 200, 200]);
  assert.equal(seen.size, statuses.length);
});

test('trap 2: an unknown path is 404 JSON, also with a trailing slash; a wrong method is 405 JSON with Allow', async () => {
  for (const path of [
    '/v1',
    '/v1/',
    '/v1/decisions/',
    '/v1/models/',
    '/decisions',
    '/favicon.ico',
    '/v1/decisions/x',
    '/openapi.json/',
  ]) {
    assertError(await send({ path }), 'plain', 404, path);
    assertError(await send({ method: 'POST', path, body: '{}' }), 'plain', 404, path);
  }
  const wrong = await send({ path: '/v1/decisions' });
  assertError(wrong, 'decisions', 405, 'GET');
  assert.equal(wrong.headers.allow, 'POST');
  assert.equal(errorOf(wrong).code, null);
});

test('trap 3: 401 beats every other failure of a known path and tells it alike everywhere', async () => {
  for (const path of decisionPaths) {
    for (const body of ['', '{', Buffer.alloc(33_554_432), { model: 'nope' }, exampleOf(path)]) {
      const received = await post(path, body, { 'content-encoding': 'gzip' });
      assertError(received, surfaceOf(path), 401, path);
      const { type, code, message, param } = errorOf(received);
      assert.deepEqual(
        { type, code, message, param },
        { type: 'invalid_api_key', code: 401, message: 'Invalid API key provided.', param: null },
      );
    }
  }
});

test('trap 4: x-api-key is ignored outside the router', async () => {
  for (const path of decisionPaths) {
    assertError(await post(path, exampleOf(path), { 'x-api-key': server.key }), surfaceOf(path), 401, path);
    const both = await post(path, exampleOf(path), { ...bearer, 'x-api-key': 'wrong' });
    assert.equal(both.status, 200);
  }
});

test('trap 5: GET /v1/models works without credentials and with invalid ones', async () => {
  for (const headers of [
    {},
    bearer,
    { authorization: 'Bearer wrong' },
    { authorization: 'x' },
    { 'x-api-key': 'wrong' },
  ]) {
    const received = await send({ path: '/v1/models', headers });
    assert.equal(received.status, 200);
    const { object, data } = jsonOf<{ object: string; data: { id: string }[] }>(received);
    assert.equal(object, 'list');
    assert.deepEqual(
      data.map(({ id }) => id).sort(),
      data.map(({ id }) => id),
    );
    assert.ok(data.every(({ id }) => id.includes('/')));
  }
});

test('trap 6: the alias sent is the name returned, and it shares the bucket of its canonical name', async (t) => {
  const clock = createManualClock();
  const config = 'aliases: { models: { our-decider: svc-decider-v1-27b, other-latest: svc-decider-v1-27b } }';
  const own = await startServer(t, { clock, config, decisions: scriptedEngine() });
  const { questions } = exampleOf('/v1/systemone');
  const used: unknown[] = [];
  for (const [path, name] of [
    ['/v1/decisions', 'svc-decider-v1-27b'],
    ['/v1/decisions', 'pplx-decider-v1-27b'],
    ['/v1/decisions', 'our-decider'],
    ['/v1/systemone', 'jev-latest'],
    ['/v1/systemone', 'pplx-decider-v1-27b'],
    ['/v1/systemone', 'our-decider'],
  ] as const) {
    const response = await own.post(path, { model: name, state: '', questions });
    assert.equal(response.status, 200, `${path} ${name}`);
    assert.equal(((await response.json()) as NativeResponse).model, name);
    used.push(response.headers.get('x-ratelimit-used'));
  }
  for (const name of ['svc-decider-v1-27b', 'pplx-decider-v1-27b', 'our-decider']) {
    const response = await own.post('/openai/v1/decisions', { ...openAiBody, model: name });
    assert.equal(((await response.json()) as NativeResponse).model, name);
    used.push(response.headers.get('x-ratelimit-used'));
  }
  assert.deepEqual(used, ['1', '2', '3', '4', '5', '6', '7', '8', '9']);
  for (const name of [
    'other-latest',
    'jev-latest',
    'svc-decider-latest',
    'SVC-decider-v1-27b',
    ' svc-decider-v1-27b',
    'our-decider ',
  ]) {
    assert.equal((await own.post('/v1/decisions', { model: name, state: '', questions })).status, 400, name);
  }
});

test('trap 6: without the upstream aliases only the served names resolve', async (t) => {
  const own = await startServer(t, {
    env: { NESTOR_ALIASES_UPSTREAM: 'false' },
    decisions: scriptedEngine(),
  });
  const { questions } = exampleOf('/v1/systemone');
  for (const path of nativePaths) {
    assert.equal((await own.post(path, { model: 'pplx-decider-v1-27b', state: '', questions })).status, 400);
    assert.equal((await own.post(path, { model, state: '', questions })).status, 200);
  }
});

test('trap 6: another family has names of its own', async (t) => {
  const own = await startServer(t, { env: { NESTOR_FAMILY: 'acme' }, decisions: scriptedEngine() });
  const { questions } = exampleOf('/v1/systemone');
  const named = await own.post('/v1/decisions', { model: 'acme-decider-v1-27b', state: '', questions });
  assert.equal(named.status, 200);
  const other = await own.post('/v1/decisions', { model: 'svc-decider-v1-27b', state: '', questions });
  const { error } = (await other.json()) as { error: { message: string } };
  assert.equal(error.message, "Invalid model 'svc-decider-v1-27b'. Permitted models: acme-decider-v1-27b");
});

test('trap 7: a request after the wait of a 429 succeeds, in real time', async (t) => {
  const config = 'rate_limits: { tables: { decisions: 2 } }';
  const own = await startServer(t, { config, decisions: scriptedEngine() });
  const ask = () => own.post('/v1/decisions', exampleOf('/v1/decisions'));
  const burst = async () => (await Promise.all([ask(), ask(), ask()])).find(({ status }) => status === 429);
  let refused: Response | undefined;
  // A busy machine gives back one of two within half a second.
  while (refused === undefined) refused = await burst();
  assert.match(String(refused.headers.get('retry-after')), /^[1-9]\d*$/);
  const waitMs = Number(refused.headers.get('retry-after-ms'));
  assert.ok(Number.isInteger(waitMs) && waitMs >= 1 && waitMs <= 500);
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  assert.equal((await ask()).status, 200);
});

test('trap 8: tiers give each account its own capacity, and keys of one account share it', async (t) => {
  const clock = createManualClock();
  const rows = [0, 50, 250, 500, 1_000, 5_000, 49.99, 1e9];
  const config = `keys:\n${rows.map((credits, index) => `  - { key: tier-key-${index}-0123456789, account: a${index}, credits_purchased_usd: ${credits} }\n`).join('')}  - { key: second-key-0123456789, account: a0, credits_purchased_usd: 0 }`;
  const own = await startServer(t, { clock, config, decisions: scriptedEngine() });
  const limitOf = async (key: string) => {
    const response = await own.post('/v1/decisions', exampleOf('/v1/decisions'), {
      authorization: `Bearer ${key}`,
    });
    return [response.headers.get('x-ratelimit-limit'), response.headers.get('x-ratelimit-used')];
  };
  const limits = [];
  for (const index of rows.keys()) limits.push(await limitOf(`tier-key-${index}-0123456789`));
  assert.deepEqual(
    limits,
    [10, 20, 50, 100, 200, 200, 10, 200].map((limit) => [String(limit), '1']),
  );
  assert.deepEqual(await limitOf('second-key-0123456789'), ['10', '2']);
});

test('trap 9: with refusal switched off everything passes and the headers stay true', async (t) => {
  const config = 'rate_limits: { enabled: false, tables: { decisions: 2 } }';
  const own = await startServer(t, { clock: createManualClock(), config, decisions: scriptedEngine() });
  const used = [];
  for (let i = 0; i < 4; i++) {
    const response = await own.post('/v1/decisions', exampleOf('/v1/decisions'));
    assert.equal(response.status, 200);
    used.push([response.headers.get('x-ratelimit-used'), response.headers.get('x-ratelimit-remaining')]);
  }
  assert.deepEqual(used, [
    ['1', '1'],
    ['2', '0'],
    ['2', '0'],
    ['2', '0'],
  ]);
});

test('trap 11: no response is HTML or empty', async () => {
  const requests = [
    send({ path: '/nothing', headers: { accept: 'text/html' } }),
    send({ method: 'OPTIONS', path: '/v1/decisions' }),
    send({ method: 'TRACE', path: '/v1/decisions' }),
    post('/v1/decisions', '', {}),
    post('/v1/decisions', ''),
    post('/v1/decisions', Buffer.alloc(33_554_432)),
    send({ path: '/%ZZ' }),
    send({ path: '/' }),
  ];
  for (const received of await Promise.all(requests)) {
    assert.equal(received.headers['content-type'], 'application/json; charset=utf-8');
    assert.ok(Object.keys(jsonOf(received)).length > 0);
  }
});

test('trap 12: System One errors carry the status as integer code', async () => {
  const cases: [number, Promise<Received>][] = [
    [400, post('/v1/systemone', '{')],
    [401, post('/v1/systemone', '{', {})],
    [405, send({ path: '/v1/systemone' })],
    [413, post('/v1/systemone', Buffer.alloc(33_554_432))],
  ];
  for (const [status, sent] of cases) {
    const received = await sent;
    assertError(received, 'systemone', status, String(status));
    assert.equal(errorOf(received).code, status);
  }
});

test('trap 14: 33,554,431 bytes reach the handler, 33,554,432 are 413 with code null', async () => {
  const bodyOf = (bytes: number) => {
    const shell = JSON.stringify(ask({ type: 'noul', instructions: 'x' }, { state: '' }));
    return shell.replace('"state":""', `"state":"${'a'.repeat(bytes - shell.length)}"`);
  };
  assert.equal(Buffer.byteLength(bodyOf(33_554_431)), 33_554_431);
  for (const chunked of [false, true]) {
    const sent = { method: 'POST', path: '/v1/decisions', headers: bearer, chunked };
    const passed = await send({ ...sent, body: bodyOf(33_554_431) });
    assert.equal(passed.status, 200, passed.text.slice(0, 200));
    const refused = await send({ ...sent, body: bodyOf(33_554_432) });
    assertError(refused, 'decisions', 413, 'the limit itself');
    assert.deepEqual(errorOf(refused), {
      message: 'request body exceeds the maximum allowed size of 33554432 bytes',
      type: 'invalid_request_error',
      code: null,
      param: null,
    });
  }
});
