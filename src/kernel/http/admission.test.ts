import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Type } from 'typebox';
import { isJsonObject } from '../kit/json.ts';
import { operationOf, serve } from './made-up.fixture.ts';
import { ok, perMinute, perSecond, type BodyBuckets, type Operation } from './operation.ts';

/** Buckets that depend on the body, on made-up operations. Contract 5.2, 5.3 and 18, 7 to 9 and 66. */

const schema = Type.Object({
  model: Type.String(),
  chunks: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
});
const post = {
  method: 'POST',
  credentials: 'bearer',
  body: { schema, bytesMax: 100_000 },
} as const satisfies Partial<Operation<object>>;

const small = perMinute('model small', 3);
const large = perMinute('model large', [1, 5]);
const byModel: BodyBuckets = {
  when: 'parsed',
  buckets: [small, large],
  of(body) {
    const name = isJsonObject(body) ? body['model'] : null;
    if (name === 'small' || name === 'alias-of-small') return { buckets: [small], cost: 1 };
    return name === 'large' ? { buckets: [large], cost: 1 } : null;
  },
};
const chunkBucket = perSecond('chunks', 100);
const byChunk: BodyBuckets = {
  when: 'valid',
  buckets: [chunkBucket],
  of(body) {
    const chunks = isJsonObject(body) && Array.isArray(body['chunks']) ? body['chunks'].length : 0;
    return { buckets: [chunkBucket], cost: chunks };
  },
};

type Server = Awaited<ReturnType<typeof serve>>;

async function ask({ url }: Server, body: unknown, key = 'key-1') {
  const response = await fetch(`${url}/made`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  await response.text();
  const told = (name: string) => {
    const value = response.headers.get(name);
    return value === null ? null : Number(value);
  };
  return {
    status: response.status,
    limit: told('x-ratelimit-limit'),
    remaining: told('x-ratelimit-remaining'),
    used: told('x-ratelimit-used'),
    reset: told('x-ratelimit-reset'),
    retryAfter: told('retry-after'),
    retryAfterMs: told('retry-after-ms'),
  };
}

const chunks = (n: number) => ({ model: 'small', chunks: Array.from({ length: n }, () => 'x') });

suite('a bucket of its own for each model', () => {
  test('is full at first, admits its capacity, and again after the told wait', async (t) => {
    const server = await serve(
      t,
      operationOf(() => ok({}), { ...post, bodyBuckets: byModel }),
    );
    for (const remaining of [2, 1, 0]) {
      const told = await ask(server, { model: 'small' });
      assert.deepEqual(
        [told.status, told.limit, told.remaining, told.used],
        [200, 3, remaining, 3 - remaining],
      );
      assert.ok((told.reset ?? 0) * 1_000 >= Date.now());
    }
    const refused = await ask(server, { model: 'small' });
    assert.deepEqual([refused.status, refused.retryAfter, refused.retryAfterMs], [429, 20, 20_000]);
    assert.equal(
      (await ask(server, { model: 'large' })).status,
      200,
      'the other model has a bucket of its own',
    );
    assert.equal((await ask(server, { model: 'small' }, 'key-2')).status, 200, 'so has another account');
    server.advance(20_000);
    assert.equal((await ask(server, { model: 'small' })).status, 200);
    assert.equal((await ask(server, { model: 'small' })).status, 429);
  });

  test('is shared by the names of one model', async (t) => {
    const server = await serve(
      t,
      operationOf(() => ok({}), { ...post, bodyBuckets: byModel }),
    );
    await ask(server, { model: 'small' });
    assert.equal((await ask(server, { model: 'alias-of-small' })).used, 2);
  });

  test('gives a token for a body that the schema refuses, and none without a known model', async (t) => {
    const server = await serve(
      t,
      operationOf(() => ok({}), { ...post, bodyBuckets: byModel }),
    );
    const invalid = await ask(server, { model: 'small', chunks: [] });
    assert.deepEqual([invalid.status, invalid.used], [400, 1]);
    for (const body of [{ model: 'other' }, { model: 1 }, {}, '{', '[]', '']) {
      const untaken = await ask(server, body);
      const expected = JSON.stringify(body) === '{"model":"other"}' ? 200 : 400;
      assert.deepEqual([untaken.status, untaken.limit, untaken.reset], [expected, null, null]);
    }
    assert.equal((await ask(server, { model: 'small' })).used, 2);
  });

  test('takes nothing for 401', async (t) => {
    const server = await serve(
      t,
      operationOf(() => ok({}), { ...post, bodyBuckets: byModel }),
    );
    const unknown = await ask(server, { model: 'small' }, 'other');
    assert.deepEqual([unknown.status, unknown.limit], [401, null]);
    assert.equal((await ask(server, { model: 'small' })).used, 1);
  });
});

suite('a bucket with a cost', () => {
  test('takes what the body costs, after the body was found valid', async (t) => {
    const server = await serve(
      t,
      operationOf(() => ok({}), { ...post, bodyBuckets: byChunk }),
    );
    const invalid = await ask(server, { model: 'small', chunks: [] });
    assert.deepEqual([invalid.status, invalid.limit], [400, null]);
    const told = await ask(server, chunks(30));
    assert.deepEqual([told.status, told.limit, told.remaining], [200, 100, 70]);
    const refused = await ask(server, chunks(71));
    assert.deepEqual([refused.status, refused.remaining, refused.retryAfterMs], [429, 70, 10]);
    assert.equal((await ask(server, chunks(70))).status, 200);
  });

  test('admits more than its capacity when it is full, and lets later requests wait', async (t) => {
    const server = await serve(
      t,
      operationOf(() => ok({}), { ...post, bodyBuckets: byChunk }),
    );
    const first = await ask(server, chunks(350));
    assert.deepEqual([first.status, first.remaining, first.used], [200, 0, 100]);
    const second = await ask(server, chunks(1));
    assert.deepEqual([second.status, second.retryAfter, second.retryAfterMs], [429, 3, 2_510]);
    server.advance(2_510);
    assert.equal((await ask(server, chunks(1))).status, 200);
    const third = await ask(server, chunks(350));
    assert.deepEqual([third.status, third.retryAfterMs], [429, 1_000], 'only a full one admits it');
  });
});
