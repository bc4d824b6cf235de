import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { finish, says, text, usage } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { startServer } from '../support/server.ts';

/** The unmodified clients of both vendors: what they name for a cache of prompts, and the counts that they get back. */

const asked: Parameters<Answer>[0][] = [];
const answer: Answer = (request, signal) => {
  asked.push(request);
  return says([text('Hello.')], finish())(request, signal);
};
const server = await startServer(
  { after },
  {
    providers: [
      scriptedProvider('lab', { keeps: { answer, capabilities: { cacheKey: true } }, forgets: { answer } }),
    ],
  },
);
const openai = (path: string) =>
  new OpenAI({ baseURL: `${server.url}${path}`, apiKey: server.key, maxRetries: 0 });
const anthropic = (path: string) =>
  new Anthropic({ baseURL: `${server.url}${path}`, apiKey: server.key, authToken: null, maxRetries: 0 });
const model = 'lab/keeps';
const messages = [{ role: 'user' as const, content: 'Hi' }];

suite('counts of a cache of prompts', () => {
  const counts = [usage.cacheRead, usage.cacheWrite];

  for (const path of ['/anthropic', '/router'])
    test(`come back on Messages: ${path}`, async () => {
      const client = anthropic(path);
      const params = { model, max_tokens: 100, messages };
      const whole = await client.messages.create(params);
      const streamed = await client.messages.stream(params).finalMessage();
      for (const { usage: told } of [whole, streamed])
        assert.deepEqual([told.cache_read_input_tokens, told.cache_creation_input_tokens], counts);
    });

  for (const path of ['/openai/v1', '/router/v1'])
    test(`come back on chat completions: ${path}`, async () => {
      const client = openai(path);
      const whole = await client.chat.completions.create({ model, messages });
      const stream_options = { include_usage: true };
      const streamed = await client.chat.completions.stream({ model, messages, stream_options }).totalUsage();
      for (const told of [whole.usage, streamed])
        assert.equal(told?.prompt_tokens_details?.cached_tokens, usage.cacheRead);
    });

  for (const path of ['/openai/v1', '/v1'])
    test(`come back on responses: ${path}`, async () => {
      const client = openai(path);
      const whole = await client.responses.create({ model, input: 'Hi' });
      const streamed = await client.responses.stream({ model, input: 'Hi' }).finalResponse();
      for (const told of [whole, streamed])
        assert.equal(told.usage?.input_tokens_details.cached_tokens, usage.cacheRead);
    });
});

suite('the key of a cache of prompts', () => {
  const client = openai('/openai/v1');
  const prompt_cache_key = 'thread-1';
  const ignoredBy = async (name: string) => {
    const chat = await client.chat.completions
      .create({ model: name, messages, prompt_cache_key })
      .withResponse();
    const agent = await client.responses
      .create({ model: name, input: 'Hi', prompt_cache_key })
      .withResponse();
    return [chat, agent].map(({ response }) => response.headers.get('x-nestor-ignored'));
  };

  test('goes to a server that keeps prompts by it', async () => {
    const before = asked.length;
    assert.deepEqual(await ignoredBy('lab/keeps'), [null, null]);
    assert.deepEqual(
      asked.slice(before).map(({ cacheKey }) => cacheKey),
      [prompt_cache_key, prompt_cache_key],
    );
  });

  test('is named as ignored for any other', async () => {
    assert.deepEqual(await ignoredBy('lab/forgets'), ['prompt_cache_key', 'prompt_cache_key']);
  });
});
