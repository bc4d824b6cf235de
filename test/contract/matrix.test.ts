import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { surfaceOfUnknown, type Surface } from '../../src/kernel/http/error-dialects.ts';
import { credentialsOn, type JsonBodySpec, type Operation } from '../../src/kernel/http/operation.ts';
import { operations } from '../support/operations.ts';
import { createManualClock } from '../support/clock.ts';
import { scriptedEngine } from '../support/engines.ts';
import {
  comesAndGoes,
  exampleForms,
  exampleParams,
  exampleQueries,
  liveBodies,
  namesNothing,
} from '../support/examples.ts';
import { createClient, errorOf, jsonOf, type Received, type Sent } from '../support/http.ts';
import { isLongRun } from '../support/rounds.ts';
import { startServer } from '../support/server.ts';
import { assertError, assertSuccess, keysOf, wordOf } from '../support/strict.ts';
import { settings } from '../support/settings.ts';
import { bodyChecks, bucketChecks, sharedBucketChecks, type Matrix, type Place } from './matrix-checks.ts';

/** Every operation, on every one of its paths, keeps what the contract says of all operations. */
const clock = createManualClock();
const deniedKey = 'denied-key-0123456789';
/** A busy machine answers a full bucket of searches late: the wait for one ends a hang alone. */
const config = `
search: { timeout_s: 100 }
aliases: { models: { svc/svc/long: svc/svc } }
keys:
  - key: ${deniedKey}
    account: denied
    deny: [decisions, agent, chat, async, search, documents, embeddings, skills, tokens, account, router, mcp]
`;
const server = await startServer({ after }, { clock, config, decisions: scriptedEngine() });
const send = createClient(server.url);
after(() => {
  send.close();
});

const bodies = await liveBodies(server);

const list: readonly Operation<never>[] = operations(settings);
const refusedKey = { type: 'invalid_api_key', code: 401, message: 'Invalid API key provided.' };
/** As each surface says it. */
const unauthorized = (surface: Surface) =>
  surface === 'openai'
    ? { ...refusedKey, type: 'invalid_request_error', code: 'invalid_api_key' }
    : refusedKey;
const bearer = { authorization: `Bearer ${server.key}` };
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE', 'LOCK'];

function toSent(operation: Operation<never>, path: string, more: Partial<Sent> = {}): Sent {
  const { id, method, credentials } = operation;
  const form = exampleForms[id];
  const body = form?.body ?? (operation.body ? JSON.stringify(bodies[id]) : undefined);
  const query = exampleQueries[id];
  return {
    method,
    path: query === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`,
    ...(body === undefined ? {} : { body }),
    ...more,
    headers: { ...(credentials === 'none' ? {} : bearer), ...form?.headers, ...more.headers },
  };
}

function assertAnswer(received: Received, operation: Operation<never>, about: string): void {
  const isGone = comesAndGoes.has(operation.id) && received.status === 404;
  if (!isGone && !namesNothing.has(operation.id)) return assertSuccess(received, operation, about);
  assertError(received, operation.surface, 404, about);
}

// Every bucket fills up, so that one test does not eat another's tokens.
const refill = () => clock.advance(120_000);

test('every operation with a body has an example, and ids and paths are unique', () => {
  for (const { id, body } of list)
    assert.ok(!body || Object.hasOwn(exampleForms, id) || bodies[id] !== undefined, id);
  assert.equal(new Set(list.map(({ id }) => id)).size, list.length);
  const routes = list.flatMap(({ method, paths }) => paths.map((path) => `${method} ${path}`));
  assert.equal(new Set(routes).size, routes.length);
});

const matrix: Matrix = { send, toSent, refill, clock, bearer, bodies, assertAnswer };

/** Whether a path is one of those of a template, with any names. */
const fits = (template: string, path: string) =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);

/** A path that leads somewhere. */
const toPath = (template: string) =>
  template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => exampleParams[name] ?? whole);

/** The largest bucket that is emptied on every path that takes from it; a larger one is emptied on one of them. */
const eachMax = 50;
/** The largest bucket that is emptied: 1,000 requests cost more than a second of CPU. */
const emptiedMax = isLongRun ? Infinity : 100;
/** Largest bodies that were sent whole, by surface and size: each is up to 64 MiB, twice. */
const sentWhole = new Set<string>();
const places = list.flatMap((operation) =>
  operation.paths.map((template) => ({ operation, path: toPath(template) })),
);

function checkBuckets(place: Place): void {
  const { buckets } = place.operation;
  const nameOf = ({ operation }: Place) => operation.buckets.map(({ name }) => name).join();
  const capacity = Math.min(...buckets.map((bucket) => Math.max(...[bucket.capacity].flat())));
  const [first = place, ...sharers] = places.filter((other) => nameOf(other) === nameOf(place));
  const isFirst = first.path === place.path && first.operation === place.operation;
  if (capacity <= eachMax) bucketChecks(matrix, place, []);
  else if (isFirst && capacity <= emptiedMax) bucketChecks(matrix, place, sharers);
  else sharedBucketChecks(matrix, place, first);
}

for (const operation of list) {
  for (const template of operation.paths) {
    const path = toPath(template);
    suite(`${operation.method} ${path}`, () => {
      commonChecks(operation, path);
      if (operation.credentials !== 'none')
        credentialChecks(operation, path, credentialsOn(operation, template) !== 'bearer or x-api-key');
      // Other paths of an operation read the same body by the same code.
      if (operation.body?.schema && (isLongRun || template === operation.paths[0]))
        bodyChecks(
          matrix,
          { operation, path },
          operation.body,
          (isLongRun && template === operation.paths[0]) || isFirstOfSize(operation.surface, operation.body),
        );
      if (operation.buckets.length > 0) checkBuckets({ operation, path });
    });
  }
}

/** Whether no body as large was sent to the surface before. */
function isFirstOfSize(surface: Surface, { bytesMax }: JsonBodySpec): boolean {
  const size = `${surface} ${bytesMax}`;
  return !sentWhole.has(size) && sentWhole.add(size).has(size);
}

function commonChecks(operation: Operation<never>, path: string): void {
  const { surface } = operation;

  test('a valid request is answered as declared, twice with the same keys', async () => {
    refill();
    const [one, two] = [await send(toSent(operation, path)), await send(toSent(operation, path))];
    for (const received of [one, two]) assertAnswer(received, operation, path);
    assert.notEqual(one.headers['x-request-id'], two.headers['x-request-id']);
    // What deletes finds something once.
    if (one.status === 204 && two.status === 404) return;
    assert.deepEqual(keysOf(jsonOf(one)), keysOf(jsonOf(two)));
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
      ...(Object.hasOwn(exampleForms, operation.id) ? {} : { 'content-type': 'text/plain' }),
      'openai-organization': 'o',
      'x-stainless-lang': 'js',
      'x-usage-tier': '0',
      'http-referer': 'https://a.example',
    };
    const received = await send(toSent(operation, `${path}?beta=true&a=%ZZ`, { headers }));
    assertAnswer(received, operation, path);
    assert.notEqual(received.headers['x-request-id'], id);
    assert.equal(received.headers['content-encoding'], undefined);
  });

  test('a wrong method is 405 with the methods of the path, without credentials', async () => {
    const here = list.filter(({ paths }) => paths.some((one) => fits(one, path)));
    const known = new Set(here.map(({ method }) => method));
    const allowed = [...known].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    for (const method of methods.filter((name) => !allowed.some((one) => one === name))) {
      const received = await send({ method, path });
      if (method === 'HEAD') {
        assert.equal(received.status, 405);
        assert.equal(received.text, '');
      } else assertError(received, surface, 405, `${method} ${path}`);
      assert.deepEqual(String(received.headers.allow).split(', ').sort(), [...allowed].sort(), method);
      if (method !== 'HEAD') assert.equal(errorOf(received).type, wordOf(surface, 405, 'method_not_allowed'));
    }
  });

  test('a trailing slash, a double slash and another letter case are unknown paths', async () => {
    const endsInName = list.some(({ paths }) => paths.some((one) => one.endsWith('}') && fits(one, path)));
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
        const unknown = surfaceOfUnknown(variant);
        assertError(received, unknown, 404, variant);
        assert.equal(errorOf(received).type, wordOf(unknown, 404, 'not_found'));
        assert.equal(errorOf(received).code, unknown === 'plain' ? 404 : undefined);
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
    assertAnswer(await send(toSent(operation, path, { body: '{"a":' })), operation, path);
    assertAnswer(await send(toSent(operation, path)), operation, path);
  });
}

function credentialChecks(operation: Operation<never>, path: string, isBearerOnly: boolean): void {
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
        const told = unauthorized(surface);
        const vendor = { ...told, type: 'authentication_error', code: undefined };
        assert.deepEqual({ type, code, message }, surface === 'anthropic' ? vendor : told, about);
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
      assertAnswer(
        await send(toSent(operation, path, { headers: { authorization } })),
        operation,
        authorization,
      );
    }
  });

  test(`x-api-key alone is ${isBearerOnly ? 'ignored' : 'accepted, and answers name the request as its clients do'}`, async () => {
    refill();
    const { headers: own, ...sent } = toSent(operation, path);
    const { authorization: _, ...rest } = own ?? {};
    const received = await send({ ...sent, headers: { ...rest, 'x-api-key': server.key } });
    if (isBearerOnly) {
      assertError(received, surface, 401, path);
      return;
    }
    assertAnswer(received, operation, path);
    const refused = await send({ method: operation.method, path });
    for (const { headers } of [received, refused])
      assert.equal(headers['request-id'], headers['x-request-id']);
  });

  test('a group that is denied to a key is 403', async () => {
    const headers = { authorization: `Bearer ${deniedKey}` };
    const received = await send(toSent(operation, path, { headers }));
    assertError(received, surface, 403, path);
  });
}
