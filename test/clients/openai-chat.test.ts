import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import OpenAI from 'openai';
import { chatProvider } from '../support/chat-provider.ts';
import { startServer } from '../support/server.ts';

const server = await startServer({ after }, chatProvider());
const client = new OpenAI({ apiKey: server.key, baseURL: `${server.url}/v1`, maxRetries: 0 });
const messages = [{ role: 'user' as const, content: 'What is a kea?' }];
const weather = {
  type: 'function' as const,
  function: { name: 'find', parameters: { type: 'object', properties: { bird: { type: 'string' } } } },
};

test('openai: chat.completions.create', async () => {
  const reply = await client.chat.completions.create({ model: 'svc', messages });
  assert.equal(reply.choices[0]?.message.content, 'The kea is a parrot.');
  assert.equal(reply.choices[0]?.finish_reason, 'stop');
  assert.ok((reply.usage?.total_tokens ?? 0) > 0);
});

test('openai: a stream, read by hand and by the helper', async () => {
  const stream = await client.chat.completions.create({ model: 'svc', messages, stream: true });
  let text = '';
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  assert.equal(text, 'The kea is a parrot.');
  const helper = client.chat.completions.stream({ model: 'svc', messages });
  assert.equal(await helper.finalContent(), 'The kea is a parrot.');
});

test('openai: a function is called and its result is answered, also in a stream', async () => {
  const called = await client.chat.completions.create({ model: 'svc-pro', messages, tools: [weather] });
  const message = called.choices[0]?.message;
  assert.equal(called.choices[0]?.finish_reason, 'tool_calls');
  const [first] = message?.tool_calls ?? [];
  assert.ok(message && first?.type === 'function');
  assert.deepEqual([first.function.name, first.function.arguments], ['find', '{"bird":"kea"}']);
  const answered = await client.chat.completions.create({
    model: 'svc-pro',
    tools: [weather],
    messages: [...messages, message, { role: 'tool', tool_call_id: first.id, content: 'green' }],
  });
  assert.equal(answered.choices[0]?.message.content, 'The kea is a parrot.');
  const helper = client.chat.completions.stream({ model: 'svc-pro', messages, tools: [weather] });
  const final = await helper.finalMessage();
  const [streamed] = final.tool_calls ?? [];
  assert.ok(streamed?.type === 'function');
  assert.equal(streamed.function.arguments, '{"bird":"kea"}');
});

test('openai: the paths of other base addresses lead to the same operation', async () => {
  for (const base of ['', '/openai/v1']) {
    const other = new OpenAI({ apiKey: server.key, baseURL: server.url + base, maxRetries: 0 });
    const reply = await other.chat.completions.create({ model: 'sonar', messages });
    assert.equal(reply.choices[0]?.message.content, 'The kea is a parrot.');
  }
});

test('openai: a JSON Schema comes back parsed', async () => {
  const schema = {
    type: 'object',
    properties: { bird: { type: 'string' } },
    required: ['bird'],
    additionalProperties: false,
  };
  const reply = await client.chat.completions.parse({
    model: 'svc-pro',
    messages,
    response_format: { type: 'json_schema', json_schema: { name: 'bird', schema, strict: true } },
  });
  assert.deepEqual(JSON.parse(reply.choices[0]?.message.content ?? ''), { bird: 'kea' });
});
