import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { Fault } from '../../kernel/faults.ts';
import { randomIds } from '../../kernel/kit/ids.ts';
import { parseWritten } from '../../kernel/kit/json-parse.ts';
import type { Json } from '../../kernel/kit/json.ts';
import { openMadeStore } from '../../../test/support/made-store.ts';
import { createJobs } from './store/jobs.ts';
import { createJobQueue } from './queue.ts';

const dayMs = 86_400_000;

async function open(context: TestContext) {
  const database = await openMadeStore();
  context.after(() => database.close());
  const time = { now: Date.UTC(2026, 0, 31, 12) };
  let wakes = 0;
  const queue = createJobQueue({
    jobs: createJobs(database.db),
    secret: 'secret',
    retentionMs: 7 * dayMs,
    clock: { now: () => time.now, monotonic: () => time.now },
    ids: randomIds,
    wake: () => wakes++,
  });
  const create = (request: Json, idempotencyKey: string | null = null, accountId = 'acme') =>
    queue.create({ accountId, keyId: 'k', model: 'svc', request, idempotencyKey });
  return { queue, create, time, wakes: () => wakes };
}

function isFault(code: string) {
  return (error: unknown) => error instanceof Fault && error.code === code;
}

test('the same key and an equal request is the same job, in any order of names', async (context) => {
  const { create, wakes } = await open(context);
  const first = await create({ a: 1, b: [{ c: 2, d: null }] }, 'key');
  const again = await create({ b: [{ d: null, c: 2 }], a: 1.0 }, 'key');
  assert.equal(again.id, first.id);
  assert.equal(wakes(), 1);
  assert.notEqual((await create({ a: 1, b: [{ c: 2, d: null }] }, 'key', 'other')).id, first.id);
  for (const other of [{ a: 1 }, { a: 1, b: [{ c: 2, d: 0 }] }, { a: '1', b: [{ c: 2, d: null }] }])
    await assert.rejects(create(other, 'key'), isFault('conflict'));
});

test('integers beyond 2^53 are stored with every digit, and tell requests apart', async (context) => {
  const { queue, create } = await open(context);
  const text = '{"schema":{"const":12345678901234567890}}';
  const { id } = await create(parseWritten(text), 'key');
  assert.equal((await queue.get('acme', id))?.request, text);
  assert.equal((await create(parseWritten(text), 'key')).id, id);
  const other = parseWritten(text.replace('67890}', '67891}'));
  await assert.rejects(create(other, 'key'), isFault('conflict'));
});

test('a job and its key are gone after the retention', async (context) => {
  const { queue, create, time } = await open(context);
  const { id } = await create({ a: 1 }, 'key');
  time.now += 7 * dayMs - 1;
  assert.equal((await queue.get('acme', id))?.id, id);
  assert.equal(await queue.get('other', id), null);
  time.now += 1;
  assert.equal(await queue.get('acme', id), null);
  assert.deepEqual(await queue.list('acme', 10, null), { jobs: [], nextToken: '' });
  assert.notEqual((await create({ a: 2 }, 'key')).id, id);
});

test('pages end with an empty token, and tokens are the account’s own', async (context) => {
  const { queue, create } = await open(context);
  const made: string[] = [];
  for (let index = 0; index < 5; index++) made.unshift((await create({ index })).id);
  const seen: string[] = [];
  let token: string | null = null;
  for (let page = 0; page < 3; page++) {
    const { jobs, nextToken }: Awaited<ReturnType<typeof queue.list>> = await queue.list('acme', 2, token);
    seen.push(...jobs.map(({ id }) => id));
    token = nextToken;
  }
  assert.deepEqual(seen, made);
  assert.equal(token, '');
  const { nextToken } = await queue.list('acme', 2, null);
  const [ordinal, signature] = nextToken.split('.');
  const altered = ['', 'x', `${Number(ordinal) + 1}.${signature}`, `${nextToken}.x`, ` ${nextToken}`];
  for (const bad of altered)
    await assert.rejects(queue.list('acme', 2, bad), isFault('validation_failed'), bad);
  await assert.rejects(queue.list('other', 2, nextToken), isFault('validation_failed'));
});
