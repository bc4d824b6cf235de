import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Type } from 'typebox';
import type { Surface } from './error-dialects.ts';
import { operationOf, serve } from './made-up.fixture.ts';
import { defineOperation, ok } from './operation.ts';
import { Uuid } from './parameters.ts';

const query = Type.Object({
  since: Type.Optional(Type.String({ format: 'date-time' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  token: Type.Optional(Type.String({ minLength: 1 })),
  ratio: Type.Optional(Type.Number()),
  stream: Type.Optional(Type.Boolean()),
  after: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
});

interface Told {
  readonly detail?: { loc: string[]; msg: string; type: string }[];
  readonly error: { message: string; param: string | null; code: unknown };
}

async function get(url: string) {
  const response = await fetch(url);
  return { status: response.status, body: (await response.json()) as Told };
}

suite('query parameters', () => {
  async function open(t: Parameters<typeof serve>[0], surface: Surface) {
    const made = defineOperation({
      ...operationOf(() => ok({})),
      surface,
      query,
      // The types of the schema reach the handler.
      handle: (call) => ok({ ...call.query, next: (call.query.limit ?? 20) + 1 }),
    });
    const { url } = await serve(t, made);
    return (text: string) => get(`${url}/made${text}`);
  }

  test('arrive as their schema means them; absent ones are absent, of repeated ones the last counts', async (t) => {
    const ask = await open(t, 'jobs');
    assert.deepEqual((await ask('')).body, { next: 21 });
    assert.deepEqual((await ask('?limit=5&token=a%20b&ratio=-1.5&stream=true&after=7')).body, {
      limit: 5,
      token: 'a b',
      ratio: -1.5,
      stream: true,
      after: 7,
      next: 6,
    });
    assert.deepEqual((await ask('?limit=x&limit=2&stream=false')).body, { limit: 2, stream: false, next: 3 });
    assert.deepEqual((await ask('?since=2026-01-31T12:00:00Z')).body, {
      since: '2026-01-31T12:00:00Z',
      next: 21,
    });
    assert.deepEqual((await ask('?other=1&__proto__=1&constructor=2')).body, { next: 21 });
  });

  test('are 422 with their place where the surface says so', async (t) => {
    const ask = await open(t, 'jobs');
    const { status, body } = await ask('?limit=101');
    assert.equal(status, 422);
    const msg = 'Input should be less than or equal to 100';
    assert.deepEqual(body, {
      detail: [{ loc: ['query', 'limit'], msg, type: 'less_than_equal' }],
      error: { message: `limit: ${msg}`, type: 'validation_error', code: 422, param: 'limit' },
    });
    for (const [text, type] of [
      ['limit=', 'int_type'],
      ['limit=1.0', 'int_type'],
      ['limit=1e1', 'int_type'],
      ['limit=+1', 'int_type'],
      ['limit=0x1', 'int_type'],
      ['limit=0', 'greater_than_equal'],
      [`limit=${'9'.repeat(400)}`, 'int_type'],
      ['token=', 'string_too_short'],
      ['since=yesterday', 'value_error'],
      ['stream=1', 'bool_type'],
    ] as const) {
      const refused = await ask(`?${text}`);
      assert.deepEqual([refused.status, refused.body.detail?.[0]?.type], [422, type], text);
    }
  });

  test('are 400 elsewhere', async (t) => {
    const ask = await open(t, 'skills');
    const { status, body } = await ask('?limit=x');
    assert.deepEqual(
      [status, body.error.param, body.error.message],
      [400, 'limit', 'limit must be an integer'],
    );
    assert.equal(body.detail, undefined);
  });
});

suite('path parameters', () => {
  const made = (surface: Surface, id: typeof Uuid) =>
    defineOperation({
      ...operationOf(() => ok({})),
      paths: ['/made/{id}'],
      surface,
      params: Type.Object({ id }),
      handle: ({ params }) => ok({ id: params.id }),
    });

  test('that are no UUID are told as such', async (t) => {
    const { url } = await serve(t, made('jobs', Uuid));
    const id = '5a1c3c9e-0f52-4c0a-8d8e-2f7f0e1a9b11';
    assert.deepEqual((await get(`${url}/made/${id}`)).body, { id });
    for (const wrong of ['x', `${id}0`, id.replaceAll('-', ''), `{${id}}`]) {
      const { status, body } = await get(`${url}/made/${encodeURIComponent(wrong)}`);
      assert.equal(status, 422);
      const msg = 'Input should be a valid UUID';
      assert.deepEqual(body.detail, [{ loc: ['path', 'id'], msg, type: 'uuid_parsing' }]);
      assert.equal(body.error.param, 'id');
    }
  });

  test('fail with the code that their schema chose', async (t) => {
    const chosen = { ...Uuid, errorCode: 'not_found', errorMessage: 'no such thing' };
    const { url } = await serve(t, made('skills', chosen));
    const { status, body } = await get(`${url}/made/x`);
    assert.deepEqual([status, body.error.message, body.error.code], [404, 'no such thing', 404]);
  });
});

test('a code that the schema chose stands over the 422 of a surface', async (t) => {
  const made = operationOf(() => ok({}), {
    method: 'POST',
    surface: 'embeddings',
    body: {
      schema: Type.Object({
        model: Type.Unsafe<string>({
          type: 'string',
          minLength: 3,
          errorCode: 'invalid_model',
          errorMessage: 'no',
        }),
        input: Type.String(),
      }),
      bytesMax: 100,
    },
  });
  const { url } = await serve(t, made);
  const statusOf = async (body: object) => {
    const response = await fetch(`${url}/made`, { method: 'POST', body: JSON.stringify(body) });
    return [response.status, Object.keys((await response.json()) as object)];
  };
  assert.deepEqual(await statusOf({ input: 'a' }), [400, ['error']]);
  assert.deepEqual(await statusOf({ model: 'a', input: 'a' }), [400, ['error']]);
  assert.deepEqual(await statusOf({ model: 'abc' }), [422, ['detail', 'error']]);
});
