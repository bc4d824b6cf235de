import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { test } from 'node:test';
import { dialects } from '../../src/kernel/http/error-dialects.ts';
import type { JsonBodySpec, Operation } from '../../src/kernel/http/operation.ts';
import type { ManualClock } from '../support/clock.ts';
import { errorOf, type Received, type Send, type Sent } from '../support/http.ts';
import { isLongRun } from '../support/rounds.ts';
import { assertError, wordOf } from '../support/strict.ts';

/** What the checks of the matrix share: one server and how it is asked. */
export interface Matrix {
  readonly send: Send;
  readonly toSent: (operation: Operation<never>, path: string, more?: Partial<Sent>) => Sent;
  /** Fills every bucket, so that one test does not eat another's tokens. */
  readonly refill: () => void;
  readonly clock: ManualClock;
  readonly bearer: Readonly<Record<string, string>>;
  readonly bodies: Readonly<Record<string, unknown>>;
  /** What a valid request is answered: as declared, or 404 where the example names nothing that exists. */
  readonly assertAnswer: (received: Received, operation: Operation<never>, about: string) => void;
}

/** As long as the largest body may be. */
const blanks = Buffer.alloc(64 * 1_048_576, 0x20);

/**
 * A body at the limit of which nothing is sent: who is refused before it is read needs none of it. Behind the refusal of a
 * small one the connection goes on, so that is sent.
 */
function announced({ bytesMax }: JsonBodySpec): Pick<Sent, 'headers' | 'body'> {
  if (bytesMax <= 1_048_576) return { body: blanks.subarray(0, bytesMax) };
  return { headers: { 'content-length': String(bytesMax) }, body: '' };
}

/** What every JSON body is held against. `sendsWhole`: bodies at the limit are sent, and not only announced. */
export function bodyChecks(
  matrix: Matrix,
  { operation, path }: Place,
  spec: JsonBodySpec,
  sendsWhole: boolean,
): void {
  const { send, toSent, refill, bodies, assertAnswer } = matrix;
  const { bytesMax, emptyAllowed } = spec;
  const { surface } = operation;
  const { noParam: none, shape } = dialects[surface];
  // Anthropic's errors have no such field.
  const noParam = shape === 'A' ? undefined : none;
  const unknownField = surface === 'agent' ? 'unknown field' : 'Unknown field';
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
      assert.equal((await refuse({ body }, notJson)).param, noParam);
      await refuse({ body, chunked: true }, notJson);
    }
    for (const body of ['[]', `[${valid}]`, 'null', '1', '"a"', 'true']) {
      assert.equal((await refuse({ body }, 'Request body must be a JSON object')).param, noParam);
    }
  });

  test('a valid body is accepted in every form that JSON has', async () => {
    for (const body of [valid, ` \r\n\t${valid}\n`, JSON.stringify(JSON.parse(valid), null, 2)]) {
      refill();
      assertAnswer(await send(toSent(operation, path, { body })), operation, path);
      assertAnswer(await send(toSent(operation, path, { body, chunked: true })), operation, path);
    }
  });

  test('Content-Encoding other than identity is 400', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'GZIP', 'gzip, identity', 'x']) {
      const sent = { body: gzipSync(valid), headers: { 'content-encoding': encoding } };
      await refuse(sent, /Content-Encoding/, 400);
    }
    refill();
    const headers = { 'content-encoding': 'Identity' };
    assertAnswer(await send(toSent(operation, path, { headers })), operation, path);
  });

  test('a content type that is none is 415, after 401; any other is passed over', async () => {
    for (const type of [
      'json',
      'application',
      '/json',
      'application/',
      ';',
      'a/b c',
      '"application/json"',
      ',',
    ]) {
      const headers = { 'content-type': type };
      await refuse({ headers }, 'Content-Type is not a media type', 415);
      const unknown = { method: operation.method, path, body: valid, headers };
      assertError(await send(unknown), surface, 401, type);
    }
    for (const type of ['application/json', 'text/plain ; charset=x', 'application/vnd.a+json;b', 'x/y']) {
      refill();
      const received = await send(toSent(operation, path, { headers: { 'content-type': type } }));
      assertAnswer(received, operation, `${path} ${type}`);
    }
  });

  test('level 65 is refused in the shape of any other field', async () => {
    const [open, close] = ['['.repeat(64), ']'.repeat(64)];
    const { type, param } = await refuse(
      { body: `{"a":${open}${close}}` },
      'Nesting is deeper than 64 levels',
    );
    assert.notEqual(type, 'internal_error');
    assert.equal(param, noParam);
  });

  const ignoresUnknown = !JSON.stringify(operation.body?.schema).endsWith('"additionalProperties":false}');

  test('an unknown top-level field is refused by name, or ignored where the contract says so', async () => {
    refill();
    if (ignoresUnknown) {
      const body = `${valid.slice(0, -1)},"extra":1}`;
      assertAnswer(await send(toSent(operation, path, { body })), operation, path);
      return;
    }
    const names = ['extra', '__proto__', 'constructor', 'Model', 'model ', '', '1', 'a"b', 'a\nb', '😀'];
    for (const name of names) {
      const body = `${valid.slice(0, -1)},${JSON.stringify(name)}:1}`;
      const { param, type } = await refuse({ body }, `${unknownField} "${name}"`);
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
      {
        message: tooLarge,
        type: wordOf(surface, 413, 'invalid_request_error'),
        param: noParam,
      },
    );
    if (surface === 'decisions' || surface === 'messages') assert.equal(code, null);
    if (surface === 'agent') assert.equal(code, 'payload_too_large');
    if (surface === 'openai') assert.equal(code, 'body_too_large');
    assert.equal(received.headers.connection, 'close');
  };

  test(`a body at the limit is 413, by Content-Length${sendsWhole ? ' and by counting' : ''}`, async () => {
    refill();
    const headers = { 'content-length': String(bytesMax) };
    assertTooLarge(await send(toSent(operation, path, { headers, body: '' })));
    if (!sendsWhole) return;
    const body = blanks.subarray(0, bytesMax);
    for (const sent of [{ body }, { body, chunked: true }])
      assertTooLarge(await send(toSent(operation, path, sent)));
  });

  test('401 comes before 413', async () => {
    const sent = { method: operation.method, path };
    assertError(await send({ ...sent, ...announced(spec) }), surface, 401, path);
    if (!sendsWhole) return;
    assertError(await send({ ...sent, body: blanks.subarray(0, bytesMax) }), surface, 401, path);
  });
}

/** An operation on one of its paths. */
export interface Place {
  readonly operation: Operation<never>;
  readonly path: string;
}

/** What every bucket is held against. `sharers` take from the same one, and are refused where it is empty. */
export function bucketChecks(matrix: Matrix, { operation, path }: Place, sharers: readonly Place[]): void {
  const { send, toSent, refill, clock, assertAnswer } = matrix;
  const { surface, buckets } = operation;

  const assertRefused = async (place: Place, more: Partial<Sent> = {}) => {
    const received = await send(toSent(place.operation, place.path, more));
    assertError(received, place.operation.surface, 429, place.path);
  };
  const assertEarly = async (place: Place) => {
    const { body } = place.operation;
    if (!body?.schema) return;
    await assertRefused(place, isLongRun ? { body: blanks.subarray(0, body.bytesMax) } : announced(body));
    await assertRefused(place, { body: '{' });
  };

  test('a full bucket admits exactly its capacity, then waits as long as it says', async () => {
    refill();
    const first = await send(toSent(operation, path));
    const limit = Number(first.headers['x-ratelimit-limit']);
    assert.ok(limit > 0);
    assert.equal(Number(first.headers['x-ratelimit-remaining']), limit - 1);
    const sendOther = () => send(toSent(operation, path));
    const others: Received[] = [];
    // Uploads have a limit of their own on how many are under way.
    const atOnce = operation.body?.multipart ? 1 : limit;
    while (others.length < limit - 1) {
      const count = Math.min(atOnce, limit - 1 - others.length);
      others.push(...(await Promise.all(Array.from({ length: count }, sendOther))));
    }
    for (const received of others) {
      assertAnswer(received, operation, path);
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
    const usual = surface === 'messages' ? 'overloaded_error' : 'too_many_requests';
    const expected = wordOf(surface, 429, usual);
    assert.equal(type, expected);
    assert.equal(message, 'Request rate limit exceeded, please try again later.');
    assert.equal(param, surface === 'anthropic' ? undefined : surface === 'agent' ? '' : null);
    assert.equal(refused.headers['x-ratelimit-remaining'], '0');
    assert.equal(refused.headers['x-ratelimit-used'], refused.headers['x-ratelimit-limit']);
    assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/);
    assert.match(String(refused.headers['retry-after-ms']), /^[1-9]\d*$/);
    for (const other of sharers) {
      await assertRefused(other);
      await assertEarly(other);
    }
    const waitMs = Number(refused.headers['retry-after-ms']);
    assert.equal(Number(refused.headers['retry-after']), Math.max(1, Math.ceil(waitMs / 1_000)));
    // Of several buckets the one that is told is the one that refused.
    const told = buckets.filter(({ capacity }) => [capacity].flat().includes(limit));
    const windowMs = Math.max(...told.map((bucket) => bucket.windowMs));
    assert.equal(waitMs, Math.ceil(windowMs / limit), 'one token comes back after 1/rate');

    clock.advance(waitMs);
    assertAnswer(await send(toSent(operation, path)), operation, path);
    assert.equal((await send(toSent(operation, path))).status, 429);
  });

  test('429 comes before the body is read', async () => {
    if (!operation.body?.schema) return;
    await assertEarly({ operation, path });
    refill();
  });

  refusalChecks(matrix, { operation, path });
}

/** For a bucket that `bucketChecks` empties by `first`, if at all: what it holds is told, and it is one for both. */
export function sharedBucketChecks(matrix: Matrix, place: Place, first: Place): void {
  const { send, toSent, refill, assertAnswer } = matrix;

  test(`it takes from the bucket of ${first.operation.method} ${first.path}`, async () => {
    refill();
    const [one, two] = [
      await send(toSent(first.operation, first.path)),
      await send(toSent(place.operation, place.path)),
    ];
    assertAnswer(two, place.operation, place.path);
    assert.equal(two.headers['x-ratelimit-limit'], one.headers['x-ratelimit-limit']);
    const held = place.operation.buckets.flatMap(({ capacity }) => capacity).map(String);
    assert.ok(held.includes(String(two.headers['x-ratelimit-limit'])));
    const remaining = [one, two].map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    assert.equal(remaining[1], (remaining[0] ?? 0) - 1);
  });

  refusalChecks(matrix, place);
}

function refusalChecks(matrix: Matrix, { operation, path }: Place): void {
  const { send, toSent, refill, clock, bearer } = matrix;

  test('refused requests with 401, 404 and 405 take no token, a request that fails later does', async () => {
    refill();
    await send({ method: operation.method, path });
    await send({ method: operation.method, path: `${path}/`, headers: bearer });
    await send({ method: 'PATCH', path, headers: bearer });
    const received = await send(toSent(operation, path, operation.body?.schema ? { body: '{' } : {}));
    if (operation.credentials === 'none') return;
    const { 'x-ratelimit-used': used, 'x-ratelimit-reset': reset } = received.headers;
    assert.equal(used, '1');
    assert.ok(Number(reset) * 1_000 >= clock.now());
    assert.equal((await send(toSent(operation, path))).headers['x-ratelimit-used'], '2');
  });
}
