import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import OpenAI from 'openai';
import { finish, says, text } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { startServer } from '../support/server.ts';

/** What a model wants back with the results of its calls, by the unmodified OpenAI client. */

const signature = 'EjQKMg==';
const asked: Parameters<Answer>[0][] = [];
/** Calls once, as Gemini does; then tells what came of it. */
const signing: Answer = (request, signal) => {
  asked.push(request);
  if (request.turns.at(-1)?.role === 'tool') return says([text('Sun.')], finish())(request, signal);
  return says(
    [{ type: 'tool-call-start', id: 'c1', name: 'weather', signature }],
    [
      { type: 'tool-call-delta', id: 'c1', arguments: '{}' },
      { type: 'tool-call-end', id: 'c1' },
    ],
    finish('tool-calls'),
  )(request, signal);
};

const server = await startServer(
  { after },
  { providers: [scriptedProvider('lab', { g: { answer: signing } })] },
);
const client = new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: server.key, maxRetries: 0 });
const model = 'lab/g';
const tools: OpenAI.Responses.Tool[] = [
  { type: 'function', name: 'weather', strict: false, parameters: { type: 'object' } },
];
const input = 'Weather?';

type Response = OpenAI.Responses.Response;

/** Of the calls in the request that the model was asked last. */
const signatures = () =>
  asked
    .at(-1)
    ?.turns.flatMap((turn) =>
      turn.role === 'assistant'
        ? turn.parts.flatMap((part) => (part.type === 'tool-call' ? [part.signature] : []))
        : [],
    );

function resultOf({ output }: Response): OpenAI.Responses.ResponseInputItem.FunctionCallOutput {
  const called = output.find((item) => item.type === 'function_call');
  assert.ok(called);
  return { type: 'function_call_output', call_id: called.call_id, output: 'sun' };
}

suite('the signature of a call comes back to its model', () => {
  test('by the id of the response, stored or not', async () => {
    for (const store of [true, false]) {
      const first = await client.responses.create({ model, input, tools, store });
      const rest = { model, tools, store, input: [resultOf(first)], previous_response_id: first.id };
      assert.equal((await client.responses.create(rest)).output_text, 'Sun.');
      assert.deepEqual(signatures(), [signature]);
    }
  });

  test('by the id of a response that was streamed', async () => {
    const stream = client.responses.stream({ model, input, tools });
    const first = await stream.finalResponse();
    await client.responses.create({
      model,
      tools,
      input: [resultOf(first)],
      previous_response_id: first.id,
    });
    assert.deepEqual(signatures(), [signature]);
  });

  test('in a conversation', async () => {
    const { id } = await client.conversations.create();
    const first = await client.responses.create({ model, input, tools, conversation: id });
    await client.responses.create({ model, tools, conversation: id, input: [resultOf(first)] });
    assert.deepEqual(signatures(), [signature]);
  });

  test('with the output that a client sends again, stored or not, and named by its ids', async () => {
    const again = async (store: boolean, toItems: (first: Response) => OpenAI.Responses.ResponseInput) => {
      const first = await client.responses.create({ model, input, tools, store });
      const sent = [{ role: 'user' as const, content: input }, ...toItems(first), resultOf(first)];
      await client.responses.create({ model, tools, store, input: sent });
      assert.deepEqual(signatures(), [signature]);
    };
    for (const store of [true, false])
      await again(store, ({ output }) => output as OpenAI.Responses.ResponseInput);
    await again(true, ({ output }) =>
      output.map((item) => ({ type: 'item_reference', id: 'id' in item ? (item.id ?? '') : '' })),
    );
  });

  test('what is kept of a stored response is shown where that is asked for', async () => {
    const shown = async (more: object) => {
      const { output } = await client.responses.create({ model, input, tools, ...more });
      return output.flatMap((item) =>
        item.type === 'reasoning' ? [typeof item.encrypted_content, item.summary.length] : [],
      );
    };
    assert.deepEqual(await shown({}), ['undefined', 0]);
    assert.deepEqual(await shown({ include: ['reasoning.encrypted_content'] }), ['string', 0]);
    assert.deepEqual(await shown({ store: false }), ['string', 0]);
  });
});
