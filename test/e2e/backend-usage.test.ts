import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { openDatabase } from '../../src/kernel/store/database.ts';
import { createUsage } from '../../src/features/accounts/store/usage.ts';
import { startServer, type TestScope } from '../support/server.ts';
import { poll } from '../support/until.ts';

/** What a backend tells that it used, and what the caller is billed for. Contract 20.7. */

const text = 'Twelve letters and some more.';
const tokensMax = 1_000;

/** Answers every completion with usage that is told beforehand: JSON text, because some numbers have no other form. */
async function startBackend(t: TestScope) {
  const backend = { url: '', usage: '' };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const isList = request.url?.endsWith('/models') === true;
      const list = JSON.stringify({ data: [{ id: 'one', object: 'model', max_model_len: tokensMax }] });
      const choices = JSON.stringify([
        { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } },
      ]);
      response.setHeader('content-type', 'application/json');
      response.end(
        isList
          ? list
          : `{"id":"c","object":"chat.completion","created":1,"model":"one","choices":${choices},"usage":${backend.usage}}`,
      );
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  backend.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return backend;
}

test('usage that cannot be is counted by our own estimate, and no row is held up by it', async (t) => {
  const backend = await startBackend({ after: (close) => t.after(close) });
  const price = { input: 1, output: 1, cache_read: 1, cache_write: 1 };
  const provider = { name: 'b', type: 'openai-compatible', base_url: backend.url, key: 'k' };
  const models = [{ id: 'one', price, context: tokensMax }];
  const closers: (() => Promise<void>)[] = [];
  const server = await startServer(
    { after: (close) => closers.push(close) },
    {
      config: JSON.stringify({ providers: [{ ...provider, models }] }),
      env: { NESTOR_RATE_LIMITS_ENABLED: 'false' },
    },
  );
  const cases: readonly (readonly [usage: string, expected: readonly [number, number] | null])[] = [
    ['{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12}', [7, 5]],
    ['{"prompt_tokens":100000,"completion_tokens":5}', [100_000, 5]],
    ['{"prompt_tokens":100001,"completion_tokens":5}', null],
    ['{"prompt_tokens":1e300,"completion_tokens":5}', null],
    ['{"prompt_tokens":7,"completion_tokens":1e999}', null],
    ['{"prompt_tokens":-7,"completion_tokens":5}', null],
    ['{"prompt_tokens":7.5,"completion_tokens":5}', null],
    ['{"prompt_tokens":7,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":-1e300}}', null],
  ];
  const ids: string[] = [];
  for (const [usage] of cases) {
    backend.usage = usage;
    const response = await server.post('/router/v1/chat/completions', {
      model: 'b/one',
      max_completion_tokens: 50,
      messages: [{ role: 'user', content: 'Say something.' }],
    });
    assert.equal(response.status, 200, await response.clone().text());
    ids.push(response.headers.get('x-request-id') ?? '');
  }
  const { data } = server;
  t.after(async () => {
    for (const close of closers) await close();
  });
  const database = await openDatabase('sqlite', { dataFolder: data });
  t.after(() => database.close());
  const rows = await poll(
    () => createUsage(database.db).page({}),
    ({ length }) => length >= cases.length,
  );
  const byId = new Map(rows.map((row) => [row.requestId, row]));
  for (const [index, [usage, expected]] of cases.entries()) {
    const row = byId.get(ids[index] ?? '');
    assert.ok(row !== undefined, `no row: ${usage}`);
    const counted = [row.inputTokens, row.outputTokens];
    if (expected !== null) assert.deepEqual(counted, expected, usage);
    else
      assert.ok(
        row.inputTokens > 0 && row.inputTokens < 50 && row.outputTokens > 3 && row.outputTokens < 20,
        `${usage}: ${counted.join()}`,
      );
    assert.ok(Math.abs(row.costUsd - (row.inputTokens + row.outputTokens) / 1e6) < 1e-12);
  }
});
