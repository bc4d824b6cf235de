import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { defineOperation, ok, perMinute, perSecond } from '../../kernel/http/operation.ts';
import { systemClock } from '../../kernel/kit/clock.ts';
import { createAdmit, openLimits } from './limits.ts';

const chat = perMinute('chat model', 50);
const operation = defineOperation<object>({
  id: 'made',
  summary: 'Made up',
  group: 'made',
  method: 'POST',
  paths: ['/made'],
  surface: 'chat',
  credentials: 'bearer',
  buckets: [perSecond('decisions', 5)],
  bodyBuckets: { when: 'parsed', buckets: [chat], of: () => ({ buckets: [chat], cost: 1 }) },
  responses: { 200: Type.Object({}) },
  handle: () => ok({}),
});

const open = (tables: Record<string, number[]>) =>
  openLimits(
    { rateLimits: { enabled: true, tables }, redis: null },
    {
      operations: [operation],
      database: { postgres: null },
      clock: systemClock,
      log: { info: assert.fail, warn: assert.fail },
    },
  );

test('a table may name every bucket that an operation can take from', async () => {
  const admit = createAdmit(await open({ decisions: [1], 'chat model': [2, 3] }));
  const principal = { accountId: 'a', keyId: 'k', tier: 1, denied: [] };
  const of = async (bucket: typeof chat) => (await admit([bucket], { principal, address: '::1' })).capacity;
  assert.deepEqual([await of(perSecond('decisions', 5)), await of(chat)], [1, 3]);
});

test('a table that no bucket reads is refused with the names that there are', async () => {
  await assert.rejects(
    open({ 'chat-modle': [1] }),
    /^Error: rate_limits\.tables\.chat-modle: no such bucket; did you mean chat model\? allowed: chat model, decisions$/,
  );
  await assert.rejects(open({ constructor: [1] }), /no such bucket; allowed: chat model, decisions$/);
});

test('without a key the address decides whose bucket it is', async () => {
  const admit = createAdmit(await open({}));
  const remaining = async (address: string) => (await admit([chat], { principal: null, address })).remaining;
  assert.deepEqual([await remaining('::1'), await remaining('::1'), await remaining('::2')], [49, 48, 49]);
});
