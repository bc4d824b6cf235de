import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createPerplexity } from '@ai-sdk/perplexity';
import { generateObject, generateText, jsonSchema, streamText } from 'ai';
import { birdAnswer } from '../support/chat-provider.ts';
import { chatModels, startChat } from '../support/chat.ts';

const server = await startChat({ after }, { models: chatModels(birdAnswer) });
const model = createPerplexity({ apiKey: server.key, baseURL: server.url })('sonar-pro');
const urls = ['https://kea.example/', 'https://birds.example/'];

test('ai with @ai-sdk/perplexity: generateText', async () => {
  const { text, usage, finishReason, sources } = await generateText({
    model,
    prompt: 'What is a kea?',
    maxRetries: 0,
  });
  assert.deepEqual([text, finishReason], ['The kea is a parrot.', 'stop']);
  assert.ok((usage.inputTokens ?? 0) > 0);
  assert.deepEqual(
    sources.flatMap((source) => (source.sourceType === 'url' ? [source.url] : [])),
    urls,
  );
});

test('ai with @ai-sdk/perplexity: streamText', async () => {
  const result = streamText({ model, prompt: 'What is a kea?', maxRetries: 0 });
  let text = '';
  for await (const piece of result.textStream) text += piece;
  assert.equal(text, 'The kea is a parrot.');
  assert.equal(await result.finishReason, 'stop');
  const sources = await result.sources;
  assert.deepEqual(
    sources.flatMap((source) => (source.sourceType === 'url' ? [source.url] : [])),
    urls,
  );
});

test('ai with @ai-sdk/perplexity: generateObject sends a schema alone and gets what fits it', async () => {
  const schema = jsonSchema<{ bird: string }>({
    type: 'object',
    properties: { bird: { type: 'string' } },
    required: ['bird'],
    additionalProperties: false,
  });
  const { object } = await generateObject({ model, schema, prompt: 'What is a kea?', maxRetries: 0 });
  assert.deepEqual(object, { bird: 'kea' });
});

test('ai with @ai-sdk/perplexity: an error is read as one, with its status', async () => {
  const unknown = createPerplexity({ apiKey: server.key, baseURL: server.url })('sonar-reasoning');
  await assert.rejects(
    generateText({ model: unknown, prompt: 'a', maxRetries: 0 }),
    (error) => error instanceof Error && /sonar-reasoning-pro/.test(error.message),
  );
});
