import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { startGateway, toAnthropic, toOpenAi, type Gateway } from '../support/gateway.ts';
import type { TestScope } from '../support/server.ts';
import {
  startMessagesTalker,
  startOpenAiTalker,
  type Said,
  type TalkOptions,
  type Talker,
  type Told,
} from '../support/upstream-talk.ts';

/** The unmodified client on the surface that is its own, over each wire that a backend may speak. */

const question = { max_tokens: 64, messages: [{ role: 'user' as const, content: 'Hello' }] };
const model = 'claude-sonnet-5';

const wires = {
  'over chat completions': { startTalker: startOpenAiTalker, toProvider: toOpenAi },
  'over messages': { startTalker: startMessagesTalker, toProvider: toAnthropic },
} as const;

async function start(t: TestScope, wire: keyof typeof wires, options: TalkOptions) {
  const { startTalker, toProvider } = wires[wire];
  const talker: Talker = await startTalker(t, options);
  const gateway: Gateway = await startGateway(t, [toProvider('lab', talker.url)], 'lab/talker');
  const client = new Anthropic({
    baseURL: `${gateway.url}/anthropic`,
    apiKey: gateway.key,
    authToken: null,
    maxRetries: 0,
  });
  return { talker, gateway, client };
}

/** Calls the first tool once for Bern, then says what came back. */
function answer({ last, isResult, tools }: Told): Said {
  if (isResult) return { deltas: ['It says: ', last] };
  if (tools.length === 0) return { deltas: ['You said ', last, '.'] };
  return { deltas: ['I look.'], calls: [{ name: tools[0] ?? '', arguments: '{"city":"Bern"}' }] };
}

const textOf = (content: readonly { readonly type: string }[]) =>
  content.map((block) => ('text' in block ? String(block.text) : `<${block.type}>`)).join('');

const ephemeral = { type: 'ephemeral' } as const;
const schemaOf = (properties: object) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  properties,
  additionalProperties: false,
});

/** A turn in the middle of a session, in the shape that Claude Code sends. */
const session: Anthropic.Beta.MessageCreateParamsNonStreaming = {
  model,
  max_tokens: 16_000,
  betas: ['claude-code-20250219', 'interleaved-thinking-2025-05-14', 'context-management-2025-06-27'],
  system: [
    { type: 'text', text: 'You are a coding agent.', cache_control: ephemeral },
    { type: 'text', text: 'The folder is /work.', cache_control: { type: 'ephemeral', ttl: '1h' } },
  ],
  metadata: { user_id: 'user_0' },
  thinking: { type: 'enabled', budget_tokens: 10_000 },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  tools: [
    { name: 'Bash', description: 'Runs a command.', input_schema: schemaOf({ command: { type: 'string' } }) },
    { name: 'Edit', input_schema: schemaOf({ file_path: { type: 'string' } }), cache_control: ephemeral },
    { type: 'tool_of_tomorrow_20990101', name: 'tomorrow' } as never,
  ],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>Be kind.</system-reminder>' },
        { type: 'text', text: 'Fix the test.' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Look first.', signature: 'sig-1' },
        { type: 'text', text: 'I look.' },
        { type: 'redacted_thinking', data: 'hidden' },
        { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          is_error: true,
          content: [{ type: 'text', text: 'no such file' }],
          cache_control: ephemeral,
        },
      ],
    },
  ],
};

for (const wire of Object.keys(wires) as (keyof typeof wires)[]) {
  suite(`@anthropic-ai/sdk on its own surface, ${wire}`, () => {
    test('answers under the name that was sent, whole, raw and with the stream helper', async (t) => {
      const { client } = await start(t, wire, { answer });
      const { data, request_id: id } = await client.messages.create({ ...question, model }).withResponse();
      assert.deepEqual(
        [textOf(data.content), data.stop_reason, data.model],
        ['You said Hello.', 'end_turn', model],
      );
      assert.deepEqual([data.usage.input_tokens, data.usage.cache_read_input_tokens], [16, 4]);
      assert.match(String(id), /^[0-9a-f-]{36}$/);
      const types: string[] = [];
      for await (const { type } of await client.messages.create({ ...question, model, stream: true }))
        types.push(type);
      assert.deepEqual([types[0], types.at(-1)], ['message_start', 'message_stop']);
      const final = await client.messages.stream({ ...question, model }).finalMessage();
      assert.deepEqual(final.content, data.content);
    });

    test('takes a session in the shape of Claude Code, and tells what did not reach the model', async (t) => {
      const { client, talker } = await start(t, wire, { answer });
      const { data, response } = await client.beta.messages.create(session).withResponse();
      assert.equal(
        textOf(data.content),
        'It says: no such file'.replace('no', wire === 'over messages' ? 'no' : 'Error: no'),
      );
      const ignored = response.headers.get('x-nestor-ignored')?.split(',') ?? [];
      assert.ok(ignored.includes('tools.2') && ignored.includes('context_management'), String(ignored));
      assert.equal(ignored.includes('system.0.cache_control'), wire === 'over chat completions');
      const sent = JSON.stringify(talker.bodies[0]);
      assert.ok(sent.includes('"Bash"') && sent.includes('"Edit"') && !sent.includes('tomorrow'));
      assert.ok(!sent.includes('$schema') && !sent.includes('user_0'));
      assert.equal(
        sent.includes('"cache_control":{"type":"ephemeral","ttl":"1h"}'),
        wire === 'over messages',
      );
      const streamed = await client.beta.messages.stream(session).finalMessage();
      assert.deepEqual(streamed.content, data.content);
    });

    test('runs the tool runner as it comes, and tools of the beta shape', async (t) => {
      const { client } = await start(t, wire, { answer });
      for (const stream of [false, true]) {
        const seen: string[] = [];
        const runner = client.beta.messages.toolRunner({
          ...question,
          model,
          stream,
          tools: [
            betaTool({
              name: 'weather',
              description: 'Tells the weather of a city.',
              inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
              run({ city }) {
                seen.push(city);
                return [{ type: 'text', text: `sun in ${city}` }];
              },
            }),
          ],
        });
        const final = await runner.runUntilDone();
        assert.match(textOf(final.content), /sun in Bern/);
        assert.deepEqual(seen, ['Bern']);
      }
    });

    test('offers tools of Anthropic that the client runs under their names', async (t) => {
      const { client, talker } = await start(t, wire, {
        answer: ({ tools }) => ({
          deltas: [],
          calls: tools.map((name) => ({ name, arguments: '{"command":"ls"}' })),
        }),
      });
      const { content, stop_reason: reason } = await client.beta.messages.create({
        ...question,
        model,
        tools: [
          { type: 'bash_20250124', name: 'bash' },
          { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 10_000 },
          { type: 'memory_20250818', name: 'memory' },
          { type: 'computer_20250124', name: 'computer', display_width_px: 800, display_height_px: 600 },
        ],
      });
      const names = ['bash', 'str_replace_based_edit_tool', 'memory', 'computer'];
      assert.deepEqual(
        content.map((block) => 'name' in block && block.name),
        names,
      );
      assert.equal(reason, 'tool_use');
      assert.match(JSON.stringify(talker.bodies[0]), /800 x 600 pixels/);
    });

    test('counts tokens', async (t) => {
      const { client } = await start(t, wire, { answer });
      const { messages, system, tools = [], thinking = { type: 'disabled' } } = session;
      const counted = await client.beta.messages.countTokens({
        model,
        messages,
        tools,
        thinking,
        ...(system && { system }),
      });
      assert.ok(counted.input_tokens > 0);
    });

    test('raises the error class and type of each failure', async (t) => {
      const { client, gateway } = await start(t, wire, { answer });
      const failure = async (asked: Promise<unknown>) => {
        const error: unknown = await asked.then(
          () => null,
          (reason: unknown) => reason,
        );
        assert.ok(error instanceof Anthropic.APIError, String(error));
        return [error.status, error.type] as const;
      };
      const wrong = client.withOptions({ apiKey: 'wrong-key-0123456789' });
      const create = (more: object) =>
        client.messages.create({ ...question, model, ...more } as Anthropic.MessageCreateParamsNonStreaming);
      const invalid = [400, 'invalid_request_error'];
      assert.deepEqual(await failure(wrong.messages.create({ ...question, model })), [
        401,
        'authentication_error',
      ]);
      assert.deepEqual(await failure(create({ max_tokens: 0 })), invalid);
      // No sandbox runs here.
      const code = { type: 'code_execution_20250522', name: 'code_execution' };
      assert.deepEqual(await failure(create({ tools: [code] })), invalid);
      await assert.rejects(create({ tools: [code] }), /tools\.0: .*code_execution_20250522/);
      const forced = {
        tools: [{ type: 'new_20990101', name: 'new' }],
        tool_choice: { type: 'tool', name: 'new' },
      };
      await assert.rejects(create(forced), /new_20990101/);
      assert.deepEqual(await failure(client.get('/v1/files')), [404, 'not_found_error']);
      assert.deepEqual(
        await failure(
          client.beta.messages.create({
            ...question,
            model,
            thread: { type: 'continue', previous_message_id: 'msg_1' },
          }),
        ),
        invalid,
      );
      const nameless = await startGateway(t, []);
      const other = client.withOptions({ baseURL: `${nameless.url}/anthropic` });
      const absent = other.models.retrieve('nobody/nothing/at all');
      assert.deepEqual(await failure(absent), [404, 'not_found_error']);
      await assert.rejects(
        other.messages.create({ ...question, model }),
        (error) =>
          error instanceof Anthropic.NotFoundError && error.message.includes('anthropic.default_model'),
      );
      const busy = await start(t, wire, { answer, status: 503 });
      assert.deepEqual(await failure(busy.client.messages.create({ ...question, model })), [
        529,
        'overloaded_error',
      ]);
      const answered = await gateway.post('/anthropic/v1/messages', { ...question, model });
      assert.equal(answered.headers.get('anthropic-ratelimit-requests-limit'), '33');
      const { request_id: told } = (await (await gateway.post('/anthropic/v1/messages', {})).json()) as {
        request_id: string;
      };
      assert.match(told, /^[0-9a-f-]{36}$/);
    });
  });
}

test('models are listed page by page, and found with their slashes encoded or not', async (t) => {
  const talker = await startOpenAiTalker(t, { answer });
  const providers = ['c', 'a', 'b'].map((name) => toOpenAi(name, talker.url));
  const gateway = await startGateway(t, providers);
  const client = new Anthropic({ baseURL: `${gateway.url}/anthropic`, apiKey: null, authToken: gateway.key });
  const ids: string[] = [];
  for await (const { id } of client.models.list({ limit: 1 })) ids.push(id);
  assert.deepEqual(ids, ['a/talker', 'b/talker', 'c/talker']);
  const before = await client.models.list({ limit: 1, before_id: 'c/talker' });
  assert.deepEqual([before.data.map(({ id }) => id), before.has_more], [['b/talker'], true]);
  assert.equal((await client.models.retrieve('b/talker')).id, 'b/talker');
  const { id } = (await client.get('/v1/models/b/talker')) as { id: string };
  assert.equal(id, 'b/talker');
  assert.equal((await client.models.retrieve('talker')).id, 'a/talker');
});
