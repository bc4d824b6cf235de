import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { call, finish, says, text } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { isLongRun } from '../support/rounds.ts';
import { startServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { tryRunner } from '../sandbox/support.ts';

/** Code execution of Anthropic's servers, run in the sandboxes that are here, by the unmodified client. */

const programs = [
  "open('kept.txt', 'w').write('6 * 7')\nprint('written')",
  "print(eval(open('kept.txt').read()))",
  "import sys\nprint('first')\nsys.stderr.write('broken')\nsys.exit(3)",
];

/** Ends as a program does whose processor time is over, without half a minute of it. */
const outOfTime = 'import os, signal\nprint("first", flush=True)\nos.kill(os.getpid(), signal.SIGXCPU)';

/** Runs the programs one after the other, or that alone which is asked for, then tells whether it saw what the second one wrote. */
function runsThem(asked: Parameters<Answer>[0][]): Answer {
  return (request, signal) => {
    asked.push(request);
    const { turns } = request;
    const said = JSON.stringify(turns[0]);
    const one = said.includes('Run one.') ? programs[0] : said.includes('Run long.') ? outOfTime : null;
    const code = (one === null ? programs : [one])[turns.filter(({ role }) => role === 'tool').length];
    const script =
      code === undefined
        ? [[text(JSON.stringify(turns).includes('42') ? 'It is 42.' : 'I do not know.')], finish()]
        : [call('c1', 'sandbox', JSON.stringify({ language: 'python', code })), finish('tool-calls')];
    return says(...script)(request, signal);
  };
}

const question = { role: 'user' as const, content: 'What is 6 x 7?' };
const base = { model: 'lab/coder', max_tokens: 500, messages: [question] };
const types = [
  'code_execution_20250522',
  'code_execution_20250825',
  'code_execution_20260120',
  'code_execution_20260521',
] as const;

async function open(t: TestContext, runner: string) {
  const asked: Parameters<Answer>[0][] = [];
  const server = await startServer(t, {
    providers: [scriptedProvider('lab', { coder: { answer: runsThem(asked) } })],
    env: { NESTOR_SANDBOX_RUNNER: runner },
  });
  // A runner is looked for while the server serves.
  await until(() => server.log.some(({ msg }) => msg === 'the sandbox for code is ready'));
  const client = new Anthropic({
    baseURL: `${server.url}/anthropic`,
    apiKey: server.key,
    authToken: null,
    maxRetries: 0,
  });
  return { asked, client };
}

/** Ids are new each time. */
const plain = (content: readonly Anthropic.ContentBlock[]) =>
  JSON.parse(JSON.stringify(content).replaceAll(/srvtoolu_\w+/g, 'ID')) as unknown;

/** The surface is the same in front of both: the usual run has the first that works here. */
let hasRun = false;
for (const runner of ['bubblewrap', 'pyodide'] as const)
  test(`code execution on /anthropic in ${runner}`, async (t) => {
    if (hasRun && !isLongRun) return t.skip('in the long run');
    if ((await tryRunner(runner, t)) === null) return;
    hasRun = true;
    const { asked, client } = await open(t, runner);
    const tool = { type: types[0], name: 'code_execution' } as const;
    let whole: readonly Anthropic.ContentBlock[] = [];

    await t.test('runs what the model writes, keeps its files, and shows what it printed', async () => {
      const { content, stop_reason: stop } = await client.messages.create({ ...base, tools: [tool] });
      assert.deepEqual(
        content.map(({ type }) => type),
        [...programs.flatMap(() => ['server_tool_use', 'code_execution_tool_result']), 'text'],
      );
      const uses = content.filter((block) => block.type === 'server_tool_use');
      assert.deepEqual(
        uses.map(({ name, input }) => [name, input]),
        programs.map((code) => ['code_execution', { code }]),
      );
      const results = content.filter((block) => block.type === 'code_execution_tool_result');
      assert.deepEqual(
        results.map(({ tool_use_id: id }) => id),
        uses.map(({ id }) => id),
      );
      assert.deepEqual(
        results.map(({ content: ran }) =>
          ran.type === 'code_execution_result' ? [ran.stdout, ran.stderr, ran.return_code] : ran,
        ),
        [
          ['written\n', '', 0],
          ['42\n', '', 0],
          ['first\n', 'broken', 3],
        ],
      );
      whole = content;
      const last = content.at(-1);
      assert.deepEqual([last?.type === 'text' && last.text, stop], ['It is 42.', 'end_turn']);
    });

    await t.test('streams the same, and takes it back into the next question', async () => {
      const streamed = await client.messages.stream({ ...base, tools: [tool] }).finalMessage();
      assert.deepEqual(plain(streamed.content), plain(whole));
      const told = { role: 'assistant' as const, content: streamed.content as Anthropic.ContentBlockParam[] };
      const next = await client.messages.create({
        ...base,
        tools: [tool],
        messages: [question, told, { role: 'user', content: 'Thanks.' }],
      });
      assert.deepEqual(
        next.content.map((block) => block.type === 'text' && block.text),
        ['It is 42.'],
      );
      const turns = JSON.stringify(asked.at(-1)?.turns);
      for (const part of ['kept.txt', '42', 'broken']) assert.ok(turns.includes(part), part);
    });

    // In WebAssembly no program has a process to end.
    if (runner === 'bubblewrap')
      await t.test('says of a program whose time was over what Anthropic says', async () => {
        const messages = [{ role: 'user' as const, content: 'Run long.' }];
        const { content } = await client.messages.create({ ...base, messages, tools: [tool] });
        const result = content.find((block) => block.type === 'code_execution_tool_result')?.content;
        const error = { type: 'code_execution_tool_result_error', error_code: 'execution_time_exceeded' };
        assert.deepEqual(result, error);
        const told = { role: 'assistant' as const, content: content as Anthropic.ContentBlockParam[] };
        const next = [...messages, told, { role: 'user' as const, content: 'And now?' }];
        await client.messages.create({ ...base, messages: next, tools: [tool] });
        assert.match(JSON.stringify(asked.at(-1)?.turns), /execution_time_exceeded/);
      });

    await t.test('is the same under every name that it had', async () => {
      for (const type of types) {
        const { content } = await client.beta.messages.create({
          ...base,
          messages: [{ role: 'user', content: 'Run one.' }],
          tools: [{ type, name: 'code_execution' }],
          betas: ['code-execution-2025-08-25'],
        });
        const result = content.find((block) => block.type === 'code_execution_tool_result')?.content;
        assert.equal(result?.type === 'code_execution_result' && result.stdout, 'written\n', type);
      }
    });
  });
