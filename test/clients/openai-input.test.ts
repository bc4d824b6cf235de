import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import OpenAI from 'openai';
import { finish, says, text } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { startServer } from '../support/server.ts';

/** What the unmodified OpenAI client may send as an input, and what it counts of one. */

const asked: Parameters<Answer>[0][] = [];

/** Tells what the user said last. */
const echo: Answer = (request, signal) => {
  asked.push(request);
  const last = request.turns.at(-1);
  const part = last?.role === 'user' ? last.parts.at(-1) : undefined;
  return says([text(`heard: ${part?.type === 'text' ? part.text : ''}`)], finish())(request, signal);
};

/** Counts the characters of what would be asked, as JSON. */
const counter = (request: Parameters<Answer>[0]) => {
  asked.push(request);
  return Promise.resolve(JSON.stringify(request).length);
};

const server = await startServer(
  { after },
  {
    config: 'mcp: { servers: [{ name: wiki, url: "http://127.0.0.1:9/mcp" }] }\n',
    providers: [
      scriptedProvider('lab', { echo: { answer: echo }, counted: { answer: echo, count: counter } }),
    ],
  },
);
const client = new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: server.key, maxRetries: 0 });
const model = 'lab/echo';

suite('inputs of OpenAI', () => {
  test('instructions alone are answered: the last of them is the question', async () => {
    const input = [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'developer' as const, content: 'Name a parrot.' },
    ];
    const made = await client.responses.create({ model, instructions: 'Be kind.', input });
    assert.equal(made.output_text, 'heard: Name a parrot.');
    assert.deepEqual(asked.at(-1)?.system, ['Be kind.', 'Be brief.']);
    const followed = await client.responses.create({
      model,
      previous_response_id: made.id,
      input: 'Another.',
    });
    assert.equal(followed.output_text, 'heard: Another.');
    const { choices } = await client.chat.completions.create({ model, messages: input });
    assert.equal(choices[0]?.message.content, 'heard: Name a parrot.');
    assert.deepEqual(asked.at(-1)?.system, ['Be brief.']);
    await assert.rejects(
      client.responses.create({ model, input: [{ type: 'reasoning', id: 'rs_1', summary: [] }] }),
      OpenAI.BadRequestError,
    );
  });

  test('the tokens of an input are counted by the model, of all that a response would ask it', async () => {
    const tools: OpenAI.Responses.Tool[] = [{ type: 'web_search' }];
    const body = { model: 'lab/counted', instructions: 'Be brief.', input: 'Hi', tools };
    const counted = await client.responses.inputTokens.count(body);
    assert.deepEqual(counted, { object: 'response.input_tokens', input_tokens: counted.input_tokens });
    const [whole] = asked.splice(-1);
    assert.equal(counted.input_tokens, JSON.stringify(whole).length);
    assert.deepEqual(
      whole?.tools.map(({ name }) => name),
      ['web_search'],
    );
    assert.match(whole?.system.join() ?? '', /^Be brief\.,Today is /);

    const textsOf = (request = asked.at(-1)) =>
      request?.turns.map((turn) =>
        turn.role === 'tool' ? '' : turn.parts.map((part) => 'text' in part && part.text).join(),
      );
    const made = await client.responses.create({ model: 'lab/echo', input: 'Hi' });
    await client.responses.inputTokens.count({
      model: 'lab/counted',
      previous_response_id: made.id,
      input: 'So?',
    });
    assert.deepEqual(textsOf(), ['Hi', 'heard: Hi', 'So?']);
    const items = [{ role: 'user' as const, content: 'Kea?', type: 'message' as const }];
    const { id } = await client.conversations.create({ items });
    await client.responses.inputTokens.count({ model: 'lab/counted', conversation: id });
    assert.deepEqual(textsOf(), ['Kea?']);
    await client.responses.inputTokens.count({ model: 'lab/counted', instructions: 'Be kind.' });
    assert.deepEqual(textsOf(), ['Be kind.']);
    await client.responses.inputTokens.count({
      model: 'lab/counted',
      input: [{ role: 'developer', content: 'x' }],
    });
    assert.deepEqual(textsOf(), ['x']);
  });

  test('what cannot be counted is refused with the reason, and what is not counted is named', async () => {
    const isRefused = (param: string) => (error: unknown) =>
      error instanceof OpenAI.BadRequestError && error.param === param;
    const { inputTokens } = client.responses;
    await assert.rejects(inputTokens.count(), isRefused('input'));
    await assert.rejects(inputTokens.count({ input: 'Hi' }), isRefused('model'));
    await assert.rejects(inputTokens.count({ model: 'gpt-0', input: 'Hi' }), isRefused('model'));
    await assert.rejects(inputTokens.count({ model, input: [] }), isRefused('input'));
    await assert.rejects(
      inputTokens.count({ model, input: 7 as never }),
      /input must be a string or an array/,
    );
    const tools = (label: string) => [{ type: 'mcp' as const, server_label: label }];
    await assert.rejects(
      inputTokens.count({ model, input: 'Hi', tools: tools('other') }),
      /'other' is not allowed/,
    );
    const body = { model, input: 'Hi', personality: 'friendly', tools: tools('wiki') };
    const reply = await server.post('/openai/v1/responses/input_tokens', body);
    assert.deepEqual([reply.status, reply.headers.get('x-nestor-ignored')], [200, 'personality,tools.0.mcp']);
  });
});
