import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { openTestLocal } from '../support/local-models.ts';
import type { TestScope } from '../support/server.ts';

/** The unmodified clients against a model file in this process. Its weights are random, so what it says is noise. */

const model = 'file/random';
const question = { model, max_tokens: 24, messages: [{ role: 'user' as const, content: 'Hello' }] };
/** Of the wire, but no longer of the client's types. */
const likeliest: object = { temperature: 0 };
const weather = {
  name: 'weather',
  description: 'Tells the weather of a city.',
  input_schema: {
    type: 'object' as const,
    properties: { unit: { type: 'string', enum: ['celsius', 'kelvin'] } },
    required: ['unit'],
    // Noise adds fields of its own where it may, at times until no token is left.
    additionalProperties: false,
  },
};

async function start(t: TestScope): Promise<Gateway> {
  const { provider } = await openTestLocal(t, { template: 'tools' }, { name: 'file', id: 'random' });
  return startGateway(t, [provider]);
}

suite('a model file behind the router', () => {
  test('answers @anthropic-ai/sdk, whole, streamed and counted', async (t) => {
    const { url, key } = await start(t);
    const client = new Anthropic({ baseURL: `${url}/router`, apiKey: key, authToken: null, maxRetries: 0 });
    const whole = await client.messages.create({ ...question, ...likeliest });
    assert.equal(whole.role, 'assistant');
    assert.ok(whole.usage.output_tokens > 0 && whole.usage.output_tokens <= 24);
    const streamed = await client.messages.stream({ ...question, ...likeliest }).finalMessage();
    assert.deepEqual(streamed.content, whole.content, 'the likeliest answer is the same one');
    assert.equal(streamed.stop_reason, whole.stop_reason);
    const { input_tokens } = await client.messages.countTokens({ model, messages: question.messages });
    const { usage } = whole;
    const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
    assert.equal(input_tokens, usage.input_tokens + cached);
  });

  test('calls tools of @anthropic-ai/sdk and reads their results', async (t) => {
    const { url, key } = await start(t);
    const client = new Anthropic({ baseURL: url, apiKey: key, authToken: null, maxRetries: 0 });
    const asked = { ...question, max_tokens: 400, tools: [weather], tool_choice: { type: 'any' as const } };
    const first = await client.messages.create(asked);
    const call = first.content.find((block) => block.type === 'tool_use');
    assert.equal(first.stop_reason, 'tool_use');
    assert.equal(call?.name, 'weather');
    assert.match((call.input as { unit: string }).unit, /^(?:celsius|kelvin)$/);
    const second = await client.messages.create({
      ...asked,
      tool_choice: { type: 'none' },
      max_tokens: 8,
      messages: [
        ...question.messages,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: '12' }] },
      ],
    });
    assert.ok(second.usage.output_tokens > 0);
  });

  test('answers openai in the shape that a schema asks for', async (t) => {
    const { url, key } = await start(t);
    const client = new OpenAI({ baseURL: `${url}/router/v1`, apiKey: key, maxRetries: 0 });
    const schema = {
      type: 'object',
      properties: { sure: { type: 'boolean' }, level: { type: 'string', enum: ['low', 'high'] } },
      required: ['sure', 'level'],
      additionalProperties: false,
    };
    const stream = client.chat.completions.stream({
      ...question,
      max_tokens: 400,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    });
    const text = await stream.finalContent();
    const answer = JSON.parse(text ?? '') as Record<string, unknown>;
    assert.equal(typeof answer['sure'], 'boolean');
    assert.ok(answer['level'] === 'low' || answer['level'] === 'high');
  });
});
