import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import OpenAI from 'openai';
import { startAgentServer } from './agent.fixture.ts';
import { poll } from '../support/until.ts';

/** The unmodified OpenAI client against the agent. */

const server = await startAgentServer({ after });
const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.key, maxRetries: 0 });
const model = 'lab/echo';
const weather = {
  type: 'function' as const,
  name: 'weather',
  description: 'Tells the weather.',
  strict: true,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

suite('openai responses', () => {
  test('create', async () => {
    const response = await client.responses.create({ model, input: 'Hi', instructions: 'Be brief.' });
    assert.equal(response.output_text, 'Hello there.');
    assert.deepEqual([response.status, response.model], ['completed', model]);
    assert.equal(response.usage?.total_tokens, 21);
  });

  for (const baseURL of ['/v1', '/openai/v1', '/router/v1'].map((path) => server.url + path))
    test(`create at ${new URL(baseURL).pathname}`, async () => {
      const there = new OpenAI({ baseURL, apiKey: server.key, maxRetries: 0 });
      const { output_text: told } = await there.responses.create({ model, input: 'Hi' });
      assert.equal(told, 'Hello there.');
    });

  test('create with stream', async () => {
    const stream = await client.responses.create({ model, input: 'Hi', stream: true });
    let text = '';
    const types: string[] = [];
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'response.output_text.delta') text += event.delta;
    }
    assert.equal(text, 'Hello there.');
    assert.deepEqual([types[0], types.at(-1)], ['response.created', 'response.completed']);
  });

  test('the stream helper, with function calls', async () => {
    const stream = client.responses.stream({ model, input: 'Weather?', tools: [weather] });
    const seen: string[] = [];
    stream.on('response.output_text.delta', ({ snapshot }) => seen.push(snapshot));
    stream.on('response.function_call_arguments.delta', ({ snapshot }) => seen.push(snapshot));
    const response = await stream.finalResponse();
    const called = response.output.find(({ type }) => type === 'function_call');
    assert.ok(called?.type === 'function_call');
    assert.equal(called.arguments, '{"city":"Bern"}');
    assert.deepEqual(seen, ['I ask. ', '{"city":', '{"city":"Bern"}'], 'deltas add up');
  });

  test('parse', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city', 'days'],
      additionalProperties: false,
    };
    const response = await client.responses.parse({
      model,
      input: 'Plan a trip.',
      text: { format: { type: 'json_schema', name: 'trip', strict: true, schema } },
    });
    assert.deepEqual(response.output_parsed, { city: 'Bern', days: 2 });
  });

  test('a round trip of a function call, with the output replayed and by previous_response_id', async () => {
    const first = await client.responses.create({ model, input: 'Weather?', tools: [weather] });
    const called = first.output.find(({ type }) => type === 'function_call');
    assert.ok(called?.type === 'function_call');
    const result = { type: 'function_call_output' as const, call_id: called.call_id, output: 'sun' };
    const replayed = await client.responses.create({
      model,
      tools: [weather],
      input: [
        { role: 'user', content: 'Weather?' },
        ...(first.output as OpenAI.Responses.ResponseInputItem[]),
        result,
      ],
    });
    assert.equal(replayed.output_text, 'It says: sun');
    const followed = await client.responses.create({
      model,
      tools: [weather],
      input: [result],
      previous_response_id: first.id,
    });
    assert.equal(followed.output_text, 'It says: sun');
    assert.equal(followed.previous_response_id, first.id);
  });

  test('retrieve, retrieve with stream, delete', async () => {
    const made = await client.responses.create({ model, input: 'Hi' });
    const { output_text: _, ...told } = made;
    const found = await client.responses.retrieve(made.id);
    assert.deepEqual(found.output, told.output);
    const stream = await client.responses.retrieve(made.id, { stream: true, starting_after: 3 });
    const numbers: number[] = [];
    for await (const event of stream) numbers.push(event.sequence_number);
    assert.deepEqual([numbers[0], numbers.at(-1)], [4, numbers.length + 3]);
    await client.responses.delete(made.id);
    await assert.rejects(client.responses.retrieve(made.id), OpenAI.NotFoundError);
  });

  test('background and cancel', async () => {
    const made = await client.responses.create({ model: 'lab/slow', input: 'Hi', background: true });
    assert.equal(made.status, 'in_progress');
    await client.responses.cancel(made.id);
    const told = await poll(
      () => client.responses.retrieve(made.id),
      ({ status }) => status !== 'in_progress',
    );
    assert.deepEqual([told.status, told.error?.code as string], ['failed', 'cancelled']);
  });

  test('a refusal is an error class with code and param', async () => {
    await assert.rejects(
      client.responses.create({ model, input: 'Hi', temperature: 3 }),
      (error) =>
        error instanceof OpenAI.BadRequestError &&
        error.code === 'invalid_value' &&
        error.param === 'temperature',
    );
    const stranger = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'nobody', maxRetries: 0 });
    await assert.rejects(stranger.responses.create({ model, input: 'Hi' }), OpenAI.AuthenticationError);
  });
});
