import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import OpenAI from 'openai';
import { slow } from '../support/agent.ts';
import { call, finish, says, text } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { startServer } from '../support/server.ts';
import { poll } from '../support/until.ts';
import { assistant } from './agent.fixture.ts';

/** The unmodified OpenAI client against the surface that is made for it. */

const patch = '*** Begin Patch\n*** Add File: "a".txt\n+kea\n*** End Patch';
const asked: Parameters<Answer>[0][] = [];

/** Calls the tool that the user names with the text after it as arguments; tells what came back. */
const caller: Answer = (request, signal) => {
  asked.push(request);
  const last = request.turns.at(-1);
  if (last?.role === 'tool') {
    const told = last.results.flatMap(({ parts }) =>
      parts.map((part) => (part.type === 'text' ? part.text : '')),
    );
    return says([text(`told: ${told.join()}`)], finish())(request, signal);
  }
  const part = last?.role === 'user' ? last.parts.at(-1) : undefined;
  const words = part?.type === 'text' ? part.text : '';
  const space = words.indexOf(' ');
  const name = words.slice(0, space);
  return request.tools.some((tool) => tool.name === name)
    ? says(call('c1', name, words.slice(space + 1)), finish('tool-calls'))(request, signal)
    : says([{ type: 'reasoning-delta', text: 'Hm. ' }], [text(`heard: ${words}`)], finish())(request, signal);
};

const server = await startServer(
  { after },
  {
    providers: [
      scriptedProvider('lab', {
        echo: { answer: assistant },
        caller: { answer: caller },
        plain: { answer: caller, capabilities: { tools: false } },
        slow: { answer: slow(10_000) },
      }),
    ],
    config: 'aliases: { models: { gpt-5.5: lab/caller } }\n',
  },
);
const client = new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: server.key, maxRetries: 0 });
const model = 'gpt-5.5';

type Item = OpenAI.Responses.ResponseOutputItem;
type Kind<Type extends Item['type']> = Extract<Item, { type: Type }>;

function itemOf<Type extends Item['type']>({ output }: { output: Item[] }, type: Type): Kind<Type> {
  const found = output.find((item) => item.type === type);
  assert.ok(found, `no ${type} in ${JSON.stringify(output)}`);
  return found as Kind<Type>;
}

const ignoredIn = async (body: object): Promise<string | null> => {
  const reply = await server.post('/openai/v1/responses', { model, input: 'Hi', ...body });
  assert.equal(reply.status, 200, await reply.clone().text());
  return reply.headers.get('x-nestor-ignored');
};

suite('responses of OpenAI', () => {
  test('a function call is over for the client, and its result is answered', async () => {
    const tools: OpenAI.Responses.Tool[] = [
      {
        type: 'function',
        name: 'weather',
        strict: true,
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
          additionalProperties: false,
        },
      },
    ];
    const first = await client.responses.create({ model, input: 'weather {"city":"Bern"}', tools });
    assert.equal(first.status, 'completed');
    const called = itemOf(first, 'function_call');
    assert.deepEqual(
      [called.name, called.arguments, called.status],
      ['weather', '{"city":"Bern"}', 'completed'],
    );
    const answered = await client.responses.create({
      model,
      tools,
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: called.call_id, output: 'sun' }],
    });
    assert.equal(answered.output_text, 'told: sun');
    assert.equal(answered.tools[0]?.type, 'function');
  });

  test('freeform input of a custom tool goes out and comes back as it is', async () => {
    const tools: OpenAI.Responses.Tool[] = [
      {
        type: 'custom',
        name: 'apply_patch',
        description: 'Edits files.',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
      },
    ];
    const input = `apply_patch ${JSON.stringify({ input: patch })}`;
    const stream = client.responses.stream({ model, input, tools });
    const pieces: string[] = [];
    for await (const event of stream)
      if (event.type === 'response.custom_tool_call_input.delta') pieces.push(event.delta);
    const made = await stream.finalResponse();
    const called = itemOf(made, 'custom_tool_call');
    assert.deepEqual([called.name, called.input, pieces.join('')], ['apply_patch', patch, patch]);
    const [given] = asked.at(-1)?.tools ?? [];
    assert.match(given?.description ?? '', /Edits files\.[^]+lark[^]+start: "x"/);
    const replayed = await client.responses.create({
      model,
      tools,
      input: [
        { role: 'user', content: 'go' },
        ...(made.output as OpenAI.Responses.ResponseInputItem[]),
        { type: 'custom_tool_call_output', call_id: called.call_id, output: 'Done!' },
      ],
    });
    assert.equal(replayed.output_text, 'told: Done!');
    const turn = asked.at(-1)?.turns.find(({ role }) => role === 'assistant');
    assert.deepEqual(turn?.role === 'assistant' && turn.parts[0], {
      type: 'tool-call',
      id: called.call_id,
      name: 'apply_patch',
      arguments: JSON.stringify({ input: patch }),
    });
  });

  test('functions of a namespace keep their names, for the client and in its history', async () => {
    const inner = {
      type: 'function' as const,
      name: 'spawn',
      parameters: { type: 'object', properties: {} },
      strict: false,
    };
    const tools: OpenAI.Responses.Tool[] = [
      { type: 'namespace', name: 'agents', description: 'Agents.', tools: [inner] },
      { ...inner, name: 'web_search' },
    ];
    const made = await client.responses.create({ model, input: 'agents__spawn {}', tools });
    const called = itemOf(made, 'function_call');
    assert.deepEqual([called.name, called.namespace], ['spawn', 'agents']);
    const told = await client.responses.create({
      model,
      tools,
      previous_response_id: made.id,
      input: [{ type: 'function_call_output', call_id: called.call_id, output: 'ok' }],
    });
    assert.equal(told.output_text, 'told: ok');
    const own = await client.responses.create({ model, input: 'client__web_search {}', tools });
    assert.equal(itemOf(own, 'function_call').name, 'web_search', 'a name of the server is free for clients');
  });

  for (const { tool, said, expected } of [
    {
      tool: { type: 'local_shell' },
      said: 'local_shell {"command":["ls","-a"]}',
      expected: { type: 'local_shell_call', action: { type: 'exec', env: {}, command: ['ls', '-a'] } },
    },
    {
      tool: { type: 'shell' },
      said: 'shell {"commands":["ls"]}',
      expected: {
        type: 'shell_call',
        action: { commands: ['ls'], timeout_ms: null, max_output_length: null },
        environment: { type: 'local' },
      },
    },
    {
      tool: { type: 'apply_patch' },
      said: 'apply_patch {"operation":{"type":"delete_file","path":"a"}}',
      expected: { type: 'apply_patch_call', operation: { type: 'delete_file', path: 'a' } },
    },
    {
      tool: { type: 'tool_search', execution: 'client' },
      said: 'tool_search {"query":"mail"}',
      expected: { type: 'tool_search_call', execution: 'client', arguments: { query: 'mail' } },
    },
  ] as const)
    test(`${tool.type} is called as the client knows it, and its output taken back`, async () => {
      const tools = [tool] as unknown as OpenAI.Responses.Tool[];
      const made = await client.responses.create({ model, input: said, tools });
      const [item] = made.output as unknown as Record<string, unknown>[];
      const { id, call_id: callId, status, ...rest } = item ?? {};
      assert.deepEqual(rest, expected);
      assert.deepEqual([typeof id, status], ['string', 'completed']);
      const output =
        tool.type === 'tool_search'
          ? {
              type: 'tool_search_output',
              call_id: callId,
              execution: 'client',
              tools: [{ type: 'function', name: 'later', parameters: {} }],
            }
          : { type: `${tool.type}_call_output`, call_id: callId, id: callId, output: [{ stdout: 'a' }] };
      const input = [
        { role: 'user', content: 'go' },
        item,
        output,
      ] as unknown as OpenAI.Responses.ResponseInput;
      const told = await client.responses.create({ model, tools, input });
      assert.match(told.output_text, /^told: /);
      if (tool.type === 'tool_search')
        assert.ok(
          asked.at(-1)?.tools.some(({ name }) => name === 'later'),
          'what was found can be called',
        );
    });

  test('what has no effect is accepted and named, and what cannot be served fails only where it is forced', async () => {
    assert.equal(await ignoredIn({ store: true, temperature: 0.5, parallel_tool_calls: false }), null);
    const ignored = await ignoredIn({
      client_metadata: { a: 'b' },
      prompt_cache_key: 'k',
      service_tier: 'flex',
      text: { verbosity: 'low' },
      brand_new: 1,
      include: ['reasoning.encrypted_content', 'file_search_call.results'],
      tools: [{ type: 'file_search', vector_store_ids: [] }, { type: 'telepathy' }],
      input: [{ role: 'user', content: 'Hi' }, { type: 'dream' }],
    });
    assert.deepEqual(ignored?.split(',').sort(), [
      'brand_new',
      'client_metadata',
      'include.file_search_call.results',
      'input.1',
      'prompt_cache_key',
      'service_tier',
      'text.verbosity',
      'tools.0.file_search',
      'tools.1.telepathy',
    ]);
    await assert.rejects(
      client.responses.create({
        model,
        input: 'Hi',
        tools: [{ type: 'file_search', vector_store_ids: [] }],
        tool_choice: { type: 'file_search' },
      }),
      (error) =>
        error instanceof OpenAI.BadRequestError &&
        error.param === 'tool_choice' &&
        /'file_search'/.test(error.message),
    );
  });

  test('a model that calls no functions answers without tools, unless one is forced', async () => {
    const tools = [{ type: 'function', name: 'find', parameters: {} }, { type: 'web_search' }];
    assert.equal(await ignoredIn({ model: 'lab/plain', tools }), 'tools');
    assert.deepEqual(asked.at(-1)?.tools, []);
    const forced = {
      model: 'lab/plain',
      input: 'Hi',
      tools,
      tool_choice: { type: 'function', name: 'find' },
    };
    assert.equal((await server.post('/openai/v1/responses', forced)).status, 400);
  });

  test('reasoning is shown when it is asked for', async () => {
    const plain = await client.responses.create({ model, input: 'Hi' });
    assert.deepEqual(
      plain.output.map(({ type }) => type),
      ['message'],
    );
    const shown = await client.responses.create({ model, input: 'Hi', reasoning: { summary: 'auto' } });
    assert.deepEqual(itemOf(shown, 'reasoning').summary, [{ type: 'summary_text', text: 'Hm. ' }]);
    assert.equal(shown.output_text, 'heard: Hi');
  });

  test('parse, and a JSON object without a schema', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city', 'days'],
      additionalProperties: false,
    };
    const parsed = await client.responses.parse({
      model: 'lab/echo',
      input: 'Plan.',
      text: { format: { type: 'json_schema', name: 'trip', strict: true, schema } },
    });
    assert.deepEqual(parsed.output_parsed, { city: 'Bern', days: 2 });
    await client.responses.create({ model, input: 'Hi', text: { format: { type: 'json_object' } } });
    assert.equal(asked.at(-1)?.format.type, 'json');
  });

  test('retrieve, its stream from a place on, input items, delete', async () => {
    const made = await client.responses.create({
      model,
      input: [
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two' },
        { role: 'user', content: 'three' },
      ],
    });
    const { output_text: _, ...whole } = made;
    const { output_text: __, ...found } = await client.responses.retrieve(made.id);
    assert.deepEqual(found, whole);
    const stream = await client.responses.retrieve(made.id, { stream: true, starting_after: 3 });
    const numbers: number[] = [];
    for await (const event of stream) numbers.push(event.sequence_number);
    assert.deepEqual(
      numbers,
      Array.from(numbers, (__, at) => at + 4),
    );
    const told: string[] = [];
    for await (const item of client.responses.inputItems.list(made.id, { limit: 2, order: 'asc' })) {
      assert.ok(item.type === 'message');
      told.push(JSON.stringify(item.content));
    }
    assert.equal(told.length, 3, 'page after page');
    assert.match(told[0] ?? '', /input_text.+one/);
    await assert.rejects(
      client.responses.inputItems.list(made.id, { after: 'item_gone' }),
      (error) => error instanceof OpenAI.BadRequestError && error.param === 'after',
    );
    await client.responses.delete(made.id);
    await assert.rejects(client.responses.retrieve(made.id), OpenAI.NotFoundError);
  });

  test('a response in the background is followed, cancelled, and then cancelled', async () => {
    const made = await client.responses.create({ model: 'lab/slow', input: 'Hi', background: true });
    assert.equal(made.status, 'in_progress');
    assert.equal((await client.responses.cancel(made.id)).status, 'cancelled');
    const done = await client.responses.create({ model, input: 'Hi', background: true });
    const ended = await poll(
      () => client.responses.retrieve(done.id),
      ({ status }) => status !== 'in_progress',
    );
    assert.equal(ended.output_text, 'heard: Hi');
    assert.equal((await client.responses.cancel(done.id)).status, 'completed');
  });

  test('a conversation is made shorter, and goes on from its summary', async () => {
    const compacted = await client.responses.compact({
      model,
      input: [
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two' },
      ],
    });
    assert.deepEqual(
      [compacted.object, compacted.output.map(({ type }) => type)],
      ['response.compaction', ['message', 'compaction']],
    );
    await client.responses.create({
      model,
      input: [...(compacted.output as OpenAI.Responses.ResponseInputItem[]), { role: 'user', content: 'on' }],
    });
    const turns = JSON.stringify(asked.at(-1)?.turns);
    assert.match(turns, /one.+Summary of the conversation.+heard: Sum up.+on/);
  });

  test('errors are those of the vendor', async () => {
    const failure = async (body: object, key = server.key) => {
      const reply = await server.post('/openai/v1/responses', body, { authorization: `Bearer ${key}` });
      return { status: reply.status, headers: reply.headers, ...((await reply.json()) as { error: object }) };
    };
    const unknown = await failure({ model: 'gpt-nothing', input: 'Hi' });
    assert.deepEqual(
      [unknown.status, unknown.error],
      [
        400,
        {
          message: "The requested model 'gpt-nothing' does not exist.",
          type: 'invalid_request_error',
          code: 'model_not_found',
          param: 'model',
        },
      ],
    );
    assert.match(unknown.headers.get('openai-processing-ms') ?? '', /^\d+$/);
    assert.match(unknown.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
    assert.match(unknown.headers.get('x-ratelimit-remaining-requests') ?? '', /^\d+$/);
    await assert.rejects(
      client.responses.create({ model, input: 'Hi', temperature: 3 }),
      OpenAI.BadRequestError,
    );
    const nothing = await failure({ model, input: [{ role: 'user', content: 'Hi' }, null] });
    assert.partialDeepStrictEqual(nothing.error, { message: 'input.1 must be an object', param: 'input.1' });
    const stranger = await failure({ model, input: 'Hi' }, 'nobody');
    assert.equal(stranger.status, 401);
    assert.partialDeepStrictEqual(stranger.error, { type: 'invalid_request_error', code: 'invalid_api_key' });
  });
});
