import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { startServer } from '../support/server.ts';

test('a server that was closed leaves no thread behind, also none that checks answers', async (t) => {
  const threads: Worker[] = [];
  const onThread = (message: unknown) => void threads.push((message as { readonly worker: Worker }).worker);
  subscribe('worker_threads', onThread);
  t.after(() => unsubscribe('worker_threads', onThread));
  const server = await startServer(t);
  const { json_schema, regex } = { json_schema: { schema: { const: 1 } }, regex: { regex: '[0-9]' } };
  const schemaFormat = { type: 'json_schema', json_schema };
  const messages = [{ role: 'user', content: 'How many?' }];
  for (const [path, body] of [
    ['/chat/completions', { model: 'svc', messages, response_format: { type: 'regex', regex } }],
    ['/chat/completions', { model: 'svc', messages, response_format: schemaFormat }],
    ['/async/chat/completions', { request: { model: 'svc', messages, response_format: schemaFormat } }],
    ['/v1/agent', { model: 'svc/svc', input: 'How many?', response_format: schemaFormat }],
  ] as const) {
    const response = await server.post(path, body);
    await response.text();
  }
  assert.ok(threads.length >= 2, 'the storage has a thread, and so have the checks');
  await server.close();
  assert.deepEqual(
    threads.filter(({ threadId }) => threadId !== -1).map(({ threadName }) => threadName),
    [],
  );
});
