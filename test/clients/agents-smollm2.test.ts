import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { model, startSmolLm2 } from '../support/smollm2.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { skipsWeights, smolLm2 } from '../support/weights.ts';
import { startWitness, type Witness } from '../support/witness.ts';
import { runCodex, skipsCodex, toEvents, type CodexEvent, type CodexRun } from './codex.fixture.ts';
import { runOpenCode, skipsOpenCode } from './opencode.fixture.ts';

/**
 * Coding agents, unmodified, over SmolLM2-135M-Instruct in the process of Nestor, with the settings that the guide tells for small
 * models. What the model says is its own affair; that the program prints what was streamed to it, and ends, is ours. The model is
 * asked with chance, as the programs ask: of 120 answers to this question the longest had 40 tokens.
 */

const question = 'What is the capital of France?';
const heading = '## A small model';
const instructions = { 'instructions.md': 'You answer in one short sentence.\n' };

/** A server over the file as it comes, whose template knows no functions, and what went over the wire. */
async function start(t: TestContext, contextTokens?: number) {
  const models = [{ id: 'smollm2', ...(contextTokens !== undefined && { context: contextTokens }) }];
  const home = { name: 'home', type: 'local', path: smolLm2, models };
  const server = await startSmolLm2(t, { providers: [home] });
  const witness = await startWitness(t, server.url);
  const folder = await temporaryFolder(t);
  const codex = (run: Omit<CodexRun, 'url' | 'key' | 'heading' | 'files'>) => ({
    ...run,
    words: ['-m', model, ...run.words],
    url: witness.url,
    key: server.key,
    heading,
    files: instructions,
  });
  return { server, witness, folder, codex };
}

/** The events of a stream, `[DONE]` aside. The caller says what it expects. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function eventsOf<Event>(body: string): readonly Event[] {
  const lines = body.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)) as Event);
}

interface ResponseEvent {
  readonly type: string;
  readonly delta?: string;
  readonly response?: {
    readonly model: string;
    readonly status: string;
    readonly usage: { readonly input_tokens: number; readonly output_tokens: number } | null;
  };
}

/** Asserts that Codex printed the words of the last stream, and counts as it does; returns them. */
function assertAnswered({ seen }: Witness, events: readonly CodexEvent[]): string {
  const streamed = eventsOf<ResponseEvent>(seen.at(-1)?.body ?? '');
  const words = streamed
    .filter(({ type }) => type === 'response.output_text.delta')
    .map(({ delta }) => delta)
    .join('');
  const last = streamed.at(-1);
  assert.equal(last?.type, 'response.completed');
  assert.deepEqual([last.response?.model, last.response?.status], [model, 'completed']);
  const said = events.filter(({ item }) => item?.type === 'agent_message');
  assert.deepEqual(
    said.map(({ item }) => item?.text),
    [words],
  );
  assert.notEqual(words.trim(), '');
  const turn = events.at(-1);
  assert.equal(turn?.type, 'turn.completed');
  // Codex counts a session from its beginning, also where it goes on with one.
  const usages = seen.map(({ body }) => eventsOf<ResponseEvent>(body).at(-1)?.response?.usage);
  const sumOf = (name: 'input_tokens' | 'output_tokens') =>
    usages.reduce((sum, usage) => sum + (usage?.[name] ?? 0), 0);
  assert.equal(turn.usage?.input_tokens, sumOf('input_tokens'));
  assert.equal(turn.usage.output_tokens, sumOf('output_tokens'));
  assertFine(events);
  return words;
}

/** It knows no metadata of such a model, and says so; nothing else is wrong. */
function assertFine(events: readonly CodexEvent[]): void {
  const errors = events.filter(({ type, item }) => type === 'error' || item?.type === 'error');
  const messages = errors.map(({ message, item }) => message ?? item?.message ?? '');
  assert.deepEqual(
    messages.filter((message) => !message.startsWith(`Model metadata for \`${model}\` not found.`)),
    [],
  );
}

suite('Codex over SmolLM2', { skip: skipsWeights || skipsCodex }, () => {
  test('prints what the model said, and goes on with the session', async (t) => {
    const { server, witness, folder, codex } = await start(t);
    const first = assertAnswered(witness, await runCodex(folder, codex({ words: [question] })));
    const more = codex({ words: [] });
    const events = await runCodex(folder, { ...more, words: ['resume', '--last', ...more.words, 'Why?'] });
    assertAnswered(witness, events);
    const [asked, askedAgain] = witness.seen.map((one) => JSON.parse(one.asked) as { input: object[] });
    assert.equal(asked?.input.length, 2, 'the instructions and the question');
    assert.ok(!('tools' in asked) || JSON.stringify(asked.tools) === '[]');
    assert.ok(JSON.stringify(askedAgain?.input).includes(JSON.stringify(first)), 'what it said before');
    const requests = server.log.filter(({ msg }) => msg === 'request');
    assert.deepEqual(
      requests.map(({ operation, status }) => [operation, status]),
      [
        ['createOpenAiResponse', 200],
        ['createOpenAiResponse', 200],
      ],
      'nothing was asked twice',
    );
  });

  test('prints an answer in the shape of a schema', async (t) => {
    const { witness, folder, codex } = await start(t);
    const schema = {
      type: 'object',
      properties: { city: { type: 'string', maxLength: 40 }, size: { enum: ['small', 'large'] } },
      required: ['city', 'size'],
      additionalProperties: false,
    };
    const path = join(folder, 'schema.json');
    await writeFile(path, JSON.stringify(schema));
    const events = await runCodex(folder, codex({ words: ['--output-schema', path, question] }));
    const answer = JSON.parse(assertAnswered(witness, events)) as Record<'city' | 'size', string>;
    const { city, size, ...others } = answer;
    assert.ok(city.length <= 40, city);
    assert.ok(size === 'small' || size === 'large', size);
    assert.deepEqual(others, {});
  });

  test('says that a conversation has no room, and does not ask again', async (t) => {
    const { witness, folder, codex } = await start(t, 128);
    const long = `${'The kea is a parrot of the mountains. '.repeat(20)}${question}`;
    const failed = (await runCodex(folder, codex({ words: [long] })).catch((error: unknown) => error)) as {
      code?: number;
      stdout?: string;
    };
    assert.equal(failed.code, 1);
    const last = toEvents(failed.stdout ?? '').at(-1);
    assert.equal(last?.type, 'turn.failed');
    assert.match(JSON.stringify(last), /context window/);
    assert.equal(witness.seen.length, 1);
  });
});

suite('OpenCode over SmolLM2', { skip: skipsWeights || skipsOpenCode }, () => {
  test('prints what the model said', async (t) => {
    const { server, witness, folder } = await start(t);
    const run = { url: witness.url, key: server.key, model, heading };
    const stdout = await runOpenCode(folder, { ...run, words: ['--agent', 'plain', question] });
    interface Chunk {
      readonly model: string;
      readonly choices: readonly {
        readonly delta: { readonly content?: string };
        readonly finish_reason: string | null;
      }[];
    }
    const chunks = witness.seen.flatMap(({ body }) => eventsOf<Chunk>(body));
    const words = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    const reason = chunks.findLast(({ choices }) => choices[0]?.finish_reason)?.choices[0]?.finish_reason;
    const printed = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; part?: { text?: string; reason?: string } });
    assert.equal(printed.find(({ type }) => type === 'text')?.part?.text, words.trim());
    assert.notEqual(words.trim(), '');
    assert.equal(printed.at(-1)?.type, 'step_finish', stdout);
    assert.equal(printed.at(-1)?.part?.reason, reason);
    const requests = server.log.filter(({ msg }) => msg === 'request');
    assert.deepEqual(
      requests.map(({ operation, status }) => [operation, status]),
      [['createOpenAiChatCompletion', 200]],
      'nothing was asked twice',
    );
  });
});
