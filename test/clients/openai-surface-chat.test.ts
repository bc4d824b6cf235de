import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import OpenAI from 'openai';
import { call, finish, says, text } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { startServer } from '../support/server.ts';

/** The unmodified OpenAI client: chat completions with the models themselves, at the surface that is made for it. */

const asked: Parameters<Answer>[0][] = [];

/** Calls its first tool and tells what came back; without one it says hello, as JSON where that is wanted. */
const answer: Answer = (request, signal) => {
  asked.push(request);
  const last = request.turns.at(-1);
  if (last?.role === 'tool') {
    const told = last.results.flatMap(({ parts }) =>
      parts.map((part) => (part.type === 'text' ? part.text : '')),
    );
    return says([text(`told: ${told.join()}`)], finish())(request, signal);
  }
  const [tool] = request.tools;
  if (tool === undefined) {
    const words = request.format.type === 'text' ? ['Hel', 'lo.'] : ['{"city":', '"Bern"}'];
    return says(...words.map((word) => [text(word)]), finish())(request, signal);
  }
  const args = tool.name === 'weather' ? ['{"city":', '"Bern"}'] : ['{"input":"SELECT', ' 1"}'];
  return says(call('call_1', tool.name, ...args), finish('tool-calls'))(request, signal);
};

const server = await startServer(
  { after },
  {
    providers: [scriptedProvider('lab', { echo: { answer } })],
    config: 'aliases: { models: { gpt-5.5: lab/echo } }\n',
  },
);
const client = new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: server.key, maxRetries: 0 });
const model = 'gpt-5.5';
const messages = [{ role: 'user' as const, content: 'Weather in Bern?' }];
const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const query: OpenAI.ChatCompletionTool = {
  type: 'custom',
  custom: { name: 'query', description: 'Asks in SQL.' },
};

suite('chat completions of OpenAI', () => {
  test('reasoning details that a client brings back reach the model, and what is none is passed over', async () => {
    const details = [
      { type: 'reasoning.encrypted', data: 'ZGF0YQ==', format: 'anthropic-claude-v1', index: 0 },
    ];
    for (const [sent, expected] of [
      [details, [details]],
      ['none', []],
      [null, []],
      [[1], []],
    ]) {
      const said = { role: 'assistant', content: 'Where?', reasoning_details: sent } as const;
      await client.chat.completions.create({
        model,
        messages: [...messages, said, { role: 'user', content: 'Bern.' }],
      });
      const parts =
        asked.at(-1)?.turns.flatMap((turn) => (turn.role === 'assistant' ? turn.parts : [])) ?? [];
      assert.deepEqual(
        parts.flatMap((part) => (part.type === 'reasoning-details' ? [part.details] : [])),
        expected,
      );
    }
  });

  test('a model answers by its alias or its name, whole and streamed', async () => {
    for (const name of [model, 'lab/echo']) {
      const whole = await client.chat.completions.create({ model: name, messages });
      assert.deepEqual([whole.model, whole.choices[0]?.message.content], [name, 'Hello.']);
      assert.ok((whole.usage?.total_tokens ?? 0) > 0);
    }
    const stream = client.chat.completions.stream({
      model,
      messages,
      stream_options: { include_usage: true },
    });
    const pieces: string[] = [];
    stream.on('content', (piece) => pieces.push(piece));
    assert.equal(await stream.finalContent(), 'Hello.');
    assert.deepEqual(pieces, ['Hel', 'lo.']);
    assert.ok((await stream.totalUsage()).total_tokens > 0);
  });

  test('functions are run by the helper of the client', async () => {
    const told = {
      ...weather.function,
      parse: (input: string) => JSON.parse(input) as { city: string },
      function: ({ city }: { city: string }) => `sun in ${city}`,
      description: 'Tells the weather.',
    };
    const run = client.chat.completions.runTools({
      model,
      messages,
      tools: [{ type: 'function', function: told }],
    });
    assert.equal(await run.finalContent(), 'told: sun in Bern');
  });

  test('a schema is parsed', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    const parsed = await client.chat.completions.parse({
      model,
      messages,
      response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true, schema } },
    });
    assert.deepEqual(parsed.choices[0]?.message.parsed, { city: 'Bern' });
  });

  test('freeform input goes out and comes back as it is', async () => {
    const made = await client.chat.completions.create({ model, messages, tools: [query] });
    const message = made.choices[0]?.message;
    const [called] = message?.tool_calls ?? [];
    assert.ok(message && called?.type === 'custom');
    assert.deepEqual(called.custom, { name: 'query', input: 'SELECT 1' });
    const told = await client.chat.completions.create({
      model,
      tools: [query],
      messages: [...messages, message, { role: 'tool', tool_call_id: called.id, content: 'one row' }],
    });
    assert.equal(told.choices[0]?.message.content, 'told: one row');
    const turn = asked.at(-1)?.turns.find(({ role }) => role === 'assistant');
    assert.partialDeepStrictEqual(turn, { parts: [{ name: 'query', arguments: '{"input":"SELECT 1"}' }] });
    const stream = await client.chat.completions.create({ model, messages, tools: [query], stream: true });
    const calls: unknown[] = [];
    for await (const chunk of stream) calls.push(...(chunk.choices[0]?.delta.tool_calls ?? []));
    assert.partialDeepStrictEqual(calls, [
      { index: 0, type: 'custom', custom: { name: 'query', input: 'SELECT 1' } },
    ]);
  });

  test('what has no effect is named, and what cannot be served fails only where it is forced', async () => {
    const body = {
      model,
      messages,
      logit_bias: {},
      n: 2,
      verbosity: 'low',
      brand_new: 1,
      tools: [{ type: 'web_search' }],
    };
    const reply = await server.post('/openai/v1/chat/completions', body);
    assert.equal(reply.status, 200, await reply.clone().text());
    assert.equal(
      reply.headers.get('x-nestor-ignored'),
      'logit_bias,verbosity,brand_new,n,tools.0.web_search',
    );
    const forced = await server.post('/openai/v1/chat/completions', {
      ...body,
      tool_choice: { type: 'web_search' },
    });
    assert.equal(forced.status, 400);
    assert.match(await forced.text(), /Tool 'web_search' is not available/);
  });

  test('allowed tools are the only ones', async () => {
    const allowed = {
      mode: 'required' as const,
      tools: [{ type: 'function', function: { name: 'weather' } }],
    };
    await client.chat.completions.create({
      model,
      messages,
      tools: [query, weather],
      tool_choice: { type: 'allowed_tools', allowed_tools: allowed },
    });
    const { tools = [], toolChoice } = asked.at(-1) ?? {};
    assert.deepEqual([tools.map(({ name }) => name), toolChoice], [['weather'], 'required']);
  });

  test('a model that is not there is 404, and a wrong value names its field', async () => {
    const gone = await client.chat.completions
      .create({ model: 'gpt-nothing', messages })
      .catch((error: unknown) => error);
    assert.ok(gone instanceof OpenAI.NotFoundError);
    assert.deepEqual([gone.code, gone.param], ['model_not_found', 'model']);
    const wrong = await client.chat.completions
      .create({ model, messages, temperature: 3 })
      .catch((error: unknown) => error);
    assert.ok(wrong instanceof OpenAI.BadRequestError);
    assert.deepEqual([wrong.type, wrong.param], ['invalid_request_error', 'temperature']);
  });

  test('chat with sources answers to its own names', async () => {
    const told = await client.chat.completions.create({ model: 'svc', messages });
    assert.ok('search_results' in told);
  });
});
