import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { call, finish, says, text } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { startServer } from '../support/server.ts';

/**
 * Requests in the shapes in which extensions of editors send them, by their public code of 2026: streamed chat
 * completions of one turn that calls a tool, and of the next one with its result. The editors themselves are not run.
 */

const asked: Parameters<Answer>[0][] = [];
const answer: Answer = (request, signal) => {
  asked.push(request);
  const last = request.turns.at(-1);
  return last?.role === 'tool'
    ? says([text('It says '), text('hello.')], finish())(request, signal)
    : says(
        [text('I look. ')],
        call('c1', 'read_file', '{"path":', '"a.txt"}'),
        finish('tool-calls'),
      )(request, signal);
};
const server = await startServer({ after }, { providers: [scriptedProvider('lab', { coder: { answer } })] });

interface Editor {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  /** What the assistant said and what came of it, as the editor sends it back. */
  readonly turn: (id: string) => readonly object[];
  readonly ignored: string | null;
}

const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const tool = { type: 'function', function: { name: 'read_file', description: 'Reads.', parameters } };
const calls = (id: string) => [
  { id, type: 'function', function: { name: 'read_file', arguments: '{"path":"a.txt"}' } },
];
const user = [
  { type: 'text', text: '<task>\nWhat does a.txt say?\n</task>' },
  { type: 'text', text: '<environment_details>\n# Open tabs\n</environment_details>' },
];

const editors: readonly Editor[] = [
  {
    name: 'Cline',
    headers: { 'x-stainless-lang': 'js' },
    body: {
      messages: [
        { role: 'system', content: 'You are a coder.' },
        { role: 'user', content: user },
      ],
      temperature: 0,
      stream_options: { include_usage: true },
      tools: [tool],
    },
    turn: (id) => [
      { role: 'assistant', content: 'I look. ', tool_calls: calls(id) },
      { role: 'tool', tool_call_id: id, content: 'hello' },
    ],
    ignored: null,
  },
  {
    name: 'Continue',
    headers: { 'x-api-key': server.key, accept: 'application/json' },
    body: {
      messages: [
        { role: 'system', content: 'You are in agent mode.' },
        { role: 'user', content: [{ type: 'text', text: 'What does a.txt say?' }] },
      ],
      max_tokens: 4_096,
      stream_options: { include_usage: true },
      tools: [tool],
    },
    turn: (id) => [
      { role: 'assistant', content: ' ', tool_calls: calls(id) },
      { role: 'tool', content: 'hello', tool_call_id: id },
    ],
    ignored: null,
  },
  {
    name: 'Zed',
    headers: {},
    body: {
      messages: [
        { role: 'system', content: 'You are a coder.' },
        { role: 'user', content: user },
      ],
      stream_options: { include_usage: true },
      max_completion_tokens: 4_096,
      temperature: 1,
      tool_choice: 'auto',
      parallel_tool_calls: false,
      tools: [tool],
      prompt_cache_key: 'thread',
    },
    turn: (id) => [
      { role: 'assistant', content: null, tool_calls: calls(id) },
      { role: 'tool', content: [{ type: 'text', text: 'hello' }], tool_call_id: id },
    ],
    ignored: 'prompt_cache_key',
  },
];

interface Chunk {
  readonly choices: readonly {
    readonly index: number;
    readonly delta: {
      readonly role?: string;
      readonly content?: string | null;
      readonly tool_calls?: readonly {
        readonly index: number;
        readonly id?: string;
        readonly function?: { readonly name?: string; readonly arguments?: string };
      }[];
    };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
}

async function ask({ headers, body }: Editor, more: readonly object[]) {
  const { messages } = body as { readonly messages: readonly object[] };
  const sent = { model: 'lab/coder', stream: true, ...body, messages: [...messages, ...more] };
  const reply = await server.post('/openai/v1/chat/completions', sent, headers);
  const said = await reply.text();
  assert.equal(reply.status, 200, said);
  const data = said.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
  assert.equal(data.at(-1), '[DONE]');
  const chunks = data.slice(0, -1).map((line) => JSON.parse(line) as Chunk);
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const pieces = deltas.flatMap(({ tool_calls: list = [] }) => list);
  // Readers in Rust know these roles and no other.
  for (const { role = 'assistant' } of deltas) assert.equal(role, 'assistant');
  return {
    ignored: reply.headers.get('x-nestor-ignored'),
    text: deltas.map(({ content }) => content ?? '').join(''),
    id: pieces.find(({ id }) => id !== undefined)?.id ?? '',
    called: pieces.map((piece) => piece.function?.arguments ?? '').join(''),
    reasons: chunks.flatMap(({ choices }) => choices.flatMap(({ finish_reason: reason }) => reason ?? [])),
    usage: chunks.at(-1)?.usage,
  };
}

suite('editors', () => {
  for (const editor of editors)
    test(`${editor.name} calls a tool, and goes on with its result`, async () => {
      const first = await ask(editor, []);
      assert.deepEqual(
        [first.text, first.called, first.reasons, first.ignored],
        ['I look. ', '{"path":"a.txt"}', ['tool_calls'], editor.ignored],
      );
      assert.ok((first.usage?.prompt_tokens ?? 0) > 0);
      assert.deepEqual(asked.at(-1)?.tools[0]?.parameters, parameters);
      const second = await ask(editor, editor.turn(first.id));
      assert.deepEqual([second.text, second.reasons], ['It says hello.', ['stop']]);
      const turn = asked.at(-1)?.turns.at(-1);
      assert.deepEqual(turn?.role === 'tool' && turn.results[0]?.parts, [{ type: 'text', text: 'hello' }]);
    });

  test('find the names of models', async () => {
    const headers = { authorization: `Bearer ${server.key}` };
    const { data } = (await (await fetch(`${server.url}/openai/v1/models`, { headers })).json()) as {
      readonly data: readonly { readonly id: string }[];
    };
    assert.ok(data.some(({ id }) => id === 'lab/coder'));
  });
});
