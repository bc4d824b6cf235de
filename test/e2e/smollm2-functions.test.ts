import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import OpenAI from 'openai';
import { model, startSmolLm2, writeSmolLm2WithFunctions } from '../support/smollm2.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { skipsWeights } from '../support/weights.ts';

/**
 * Runs of the agent with a function, over weights that were trained: SmolLM2-135M behind a template that knows functions.
 * It was never taught to call one, so the call is required and a grammar holds it to its form; what it asks for is its own
 * affair.
 */

const weather = {
  type: 'function' as const,
  name: 'weather',
  description: 'The weather of a city.',
  strict: true,
  parameters: {
    type: 'object',
    properties: {
      city: { type: 'string', enum: ['Paris', 'London', 'Rome'] },
      days: { type: 'integer', enum: [1, 2, 3] },
    },
    required: ['city', 'days'],
    additionalProperties: false,
  },
};
const input = 'How is the weather in Paris today?';
const asked = { model, tools: [weather], temperature: 0, max_output_tokens: 80 };
const required = { ...asked, input, tool_choice: 'required' as const, parallel_tool_calls: false };

type Item = OpenAI.Responses.ResponseOutputItem;

function callOf(output: readonly Item[]) {
  const [called, ...others] = output.filter(({ type }) => type === 'function_call');
  assert.ok(called?.type === 'function_call' && others.length === 0, JSON.stringify(output));
  return called;
}

suite('SmolLM2 as an agent with a function', { skip: skipsWeights }, () => {
  const closers: (() => Promise<void> | void)[] = [];
  const scope = { after: (close: () => Promise<void> | void) => void closers.push(close) };
  let client: OpenAI;
  before(async () => {
    const path = await writeSmolLm2WithFunctions(await temporaryFolder(scope));
    const { url, key } = await startSmolLm2(scope, {}, path);
    client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  });
  after(async () => {
    for (const close of closers.toReversed()) await close();
  });

  test('calls it with arguments that fit its schema, streamed as it is whole', async () => {
    const { output } = await client.responses.create(required);
    const called = callOf(output);
    assert.equal(called.name, 'weather');
    assert.ok(new Ajv2020().compile(weather.parameters)(JSON.parse(called.arguments)), called.arguments);
    let deltas = '';
    for await (const event of await client.responses.create({ ...required, stream: true }))
      if (event.type === 'response.function_call_arguments.delta') deltas += event.delta;
    assert.equal(deltas, called.arguments);
  });

  test('answers from its result: the same whether the response is followed or the conversation is sent', async () => {
    const { id, output } = await client.responses.create(required);
    const result = {
      type: 'function_call_output' as const,
      call_id: callOf(output).call_id,
      output: 'Sunny, 24 degrees.',
    };
    const final = { ...asked, tool_choice: 'none' as const, max_output_tokens: 24 };
    const followed = await client.responses.create({ ...final, input: [result], previous_response_id: id });
    assert.ok(followed.output_text.length > 0);
    const sent = [
      { role: 'user' as const, content: input },
      ...(output as OpenAI.Responses.ResponseInputItem[]),
      result,
    ];
    const whole = await client.responses.create({ ...final, input: sent });
    assert.equal(whole.output_text, followed.output_text);
    assert.equal(whole.usage?.input_tokens, followed.usage?.input_tokens);
  });
});
