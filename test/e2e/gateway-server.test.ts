import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { createUsage } from '../../src/features/accounts/store/usage.ts';
import type { UsageRow } from '../../src/features/accounts/store/usage-row.ts';
import { startServer, type TestScope, type TestServer } from '../support/server.ts';
import { startMessagesTalker, startOpenAiTalker, type Talker } from '../support/upstream-talk.ts';
import { poll } from '../support/until.ts';

/** The router in a whole server, as its configuration makes it. */

const path = '/router/v1/messages';
const chatPath = '/router/v1/chat/completions';
const question = { max_tokens: 64, messages: [{ role: 'user', content: 'Hello' }] };
const sayHello = () => ({ deltas: ['Hello ', 'there'] });

interface Started {
  readonly server: TestServer;
  readonly open: Talker;
  readonly typed: Talker;
}

async function start(
  t: TestScope,
  more: object = {},
  options: { readonly cutAfter?: number } = {},
): Promise<Started> {
  const [open, typed] = await Promise.all([
    startOpenAiTalker(t, { answer: sayHello, pauseMs: 2, ...options }),
    startMessagesTalker(t, { answer: sayHello, pauseMs: 2, ...options }),
  ]);
  const price = { input: 2, output: 10, cache_read: 1, cache_write: 4 };
  const models = [{ id: 'talker', price }];
  const config = JSON.stringify({
    providers: [
      { name: 'open', type: 'openai-compatible', base_url: open.url, key: 'k', models },
      { name: 'typed', type: 'anthropic', base_url: typed.url, key: 'k', models },
    ],
    aliases: { models: { 'short/name': 'open/talker' } },
    ...more,
  });
  return { server: await startServer(t, { config }), open, typed };
}

async function rowsOf(server: TestServer, t: TestScope, count: number): Promise<readonly UsageRow[]> {
  const database = await openDatabase('sqlite', { dataFolder: server.data });
  t.after(() => database.close());
  const usage = createUsage(database.db);
  return poll(
    () => usage.page({}),
    ({ length }) => length >= count,
  );
}

/** Runs what was handed to `after` before the test ends, the server first. */
function scopeOf(t: TestScope): TestScope {
  const closers: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const close of closers.toReversed()) await close();
  });
  return { after: (close) => void closers.push(close) };
}

test('one row of the ledger per answer, whole or streamed, under the canonical name', async (t) => {
  const { server } = await start(scopeOf(t));
  const asked = [
    [path, { ...question, model: 'open/talker' }],
    [path, { ...question, model: 'short/name', stream: true }],
    [chatPath, { ...question, model: 'open/talker' }],
    [chatPath, { ...question, model: 'open/talker', stream: true }],
  ] as const;
  for (const [to, body] of asked) {
    const response = await server.post(to, body);
    assert.equal(response.status, 200, await response.text());
  }
  await server.post(path, { ...question, model: 'open/none' });
  await server.post(path, { ...question, model: 'open/talker', top_k: 1 });
  const rows = await rowsOf(server, t, asked.length);
  assert.equal(rows.length, asked.length);
  for (const row of rows) {
    assert.equal(row.model, 'open/talker');
    assert.deepEqual([row.inputTokens, row.outputTokens], [20, 8]);
    assert.ok(Math.abs(row.costUsd - (16 * 2 + 4 * 1 + 8 * 10) / 1e6) < 1e-12, String(row.costUsd));
  }
  assert.deepEqual(
    new Set(rows.map(({ operation }) => operation)),
    new Set(['createMessage', 'createRouterChatCompletion']),
  );
});

test('a stream that broke off is billed for what was delivered, an answer that never began is not', async (t) => {
  const { server } = await start(scopeOf(t), {}, { cutAfter: 1 });
  for (const model of ['open/talker', 'typed/talker']) {
    const wire = await (await server.post(path, { ...question, model, stream: true })).text();
    assert.ok(wire.includes('event: error') && !wire.includes('message_stop'));
    assert.equal((await server.post(path, { ...question, model })).status, 502);
  }
  const rows = await rowsOf(server, t, 2);
  assert.equal(rows.length, 2);
  for (const { outputTokens, inputTokens } of rows) assert.ok(outputTokens >= 1 && inputTokens >= 1);
});

test('messages, their counting and chat completions share two buckets; models take from none', async (t) => {
  const tables = { rate_limits: { tables: { router_qps: 1_000, router_rpm: 3 } } };
  const { server } = await start(scopeOf(t), tables);
  const body = { ...question, model: 'open/talker' };
  const { max_tokens: _limit, ...counted } = body;
  const statuses = [];
  for (const [to, sent] of [
    [path, body],
    ['/v1/messages/count_tokens', counted],
    [chatPath, body],
    ['/v1/messages', body],
  ] as const) {
    const response = await server.post(to, sent);
    statuses.push(response.status);
    if (response.status === 429) {
      const told = (await response.json()) as { error: { type: string } };
      assert.equal(told.error.type, 'overloaded_error');
      assert.equal(response.headers.get('retry-after'), '20');
    } else await response.text();
  }
  assert.deepEqual(statuses, [200, 200, 200, 429]);
  const headers = { authorization: `Bearer ${server.key}` };
  const listed = await fetch(`${server.url}/router/v1/models`, { headers });
  assert.equal(listed.status, 200);
  assert.equal(listed.headers.get('x-ratelimit-limit'), null);
  const { data } = (await listed.json()) as { data: { id: string; pricing: { input: number } }[] };
  assert.ok(data.some(({ id, pricing }) => id === 'typed/talker' && pricing.input === 2));
});

test('router.lenient of the configuration drops what strict mode refuses', async (t) => {
  const { server } = await start(scopeOf(t), { router: { lenient: true } });
  const response = await server.post(path, { ...question, model: 'typed/talker', top_k: 4 });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('x-nestor-ignored'), 'top_k');
});

test('without any provider the extractive model answers, and asks for nothing that it cannot do', async (t) => {
  const server = await startServer(t);
  const body = { ...question, model: 'svc/svc' };
  const response = await server.post(path, body);
  assert.equal(response.status, 200);
  const told = (await response.json()) as { content: { text: string }[]; stop_reason: string };
  assert.equal(told.stop_reason, 'end_turn');
  assert.ok((told.content[0]?.text ?? '') !== '');
  const tools = [{ name: 'a', description: 'b', input_schema: { type: 'object' } }];
  assert.equal((await server.post(path, { ...body, tools })).status, 400);
});
