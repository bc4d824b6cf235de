import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ChatOpenAI } from '@langchain/openai';
import { chatProvider } from '../support/chat-provider.ts';
import { startServer } from '../support/server.ts';

const server = await startServer({ after }, chatProvider());
const chat = (model: string) =>
  new ChatOpenAI({
    model,
    apiKey: server.key,
    maxRetries: 0,
    configuration: { baseURL: `${server.url}/v1` },
  });

test('LangChain ChatOpenAI: invoke and stream', async () => {
  const reply = await chat('svc').invoke('What is a kea?');
  assert.equal(reply.content, 'The kea is a parrot.');
  let text = '';
  for await (const chunk of await chat('svc').stream('What is a kea?')) text += chunk.text;
  assert.equal(text, 'The kea is a parrot.');
});

test('LangChain ChatOpenAI: a tool that is bound is called', async () => {
  const tool = {
    type: 'function' as const,
    function: { name: 'find', parameters: { type: 'object', properties: { bird: { type: 'string' } } } },
  };
  const reply = await chat('svc-pro').bindTools([tool]).invoke('What is a kea?');
  assert.deepEqual(
    reply.tool_calls?.map(({ name, args }) => [name, args]),
    [['find', { bird: 'kea' }]],
  );
});
