import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { runLearn } from '../../src/features/decisions/commands/learn.ts';
import { openWordsEngine } from '../../src/features/decisions/engines/words/index.ts';
import { openBareDecisions } from '../../src/features/decisions/feature.ts';
import { readHeads } from '../../src/features/decisions/learning/heads-file.ts';
import { startServer } from '../support/server.ts';
import { createBench, type Bench } from './support.ts';

/** The names say nothing, so that only examples can tell which is which. */
const question = { type: 'choice', instructions: 'Which queue?', criteria: { q1: null, q2: null, q3: null } };
const messages: Readonly<Record<string, readonly string[]>> = {
  q1: [
    'My card was charged twice',
    'Please refund the invoice',
    'I paid too much last month',
    'The payment was declined',
    'Why is there a fee on my bill?',
    'Send me a receipt for the payment',
  ],
  q2: [
    'Where is my parcel?',
    'The package arrived broken',
    'When will my order be delivered?',
    'The courier never came',
    'Please ship it to my new address',
    'My delivery is late',
  ],
  q3: [
    'I forgot my password',
    'I cannot sign in',
    'The login code never arrives',
    'Reset my password, please',
    'My account is locked',
    'How do I change my user name?',
  ],
};

const exampleLines = (criteria: object = question.criteria): readonly string[] =>
  Object.entries(messages).flatMap(([answer, texts]) =>
    texts.map((state) => JSON.stringify({ state, question: { ...question, criteria }, answer })),
  );

const write = ({ folder }: Bench, lines: readonly string[]) =>
  writeFileSync(join(folder, 'mine.jsonl'), lines.join('\n'));

suite('nestor learn', () => {
  test('learns what the names do not say, and a server answers so, however the options are ordered', async (t) => {
    const bench = createBench(t, openBareDecisions, { NESTOR_DECISIONS_ENGINE: 'encoder' });
    write(bench, exampleLines());
    assert.equal(await runLearn(['mine.jsonl', '--json'], bench.context), 0, bench.out() + bench.err());
    const { out, questions } = JSON.parse(bench.out()) as {
      out: string;
      questions: { taken: boolean; before: { accuracy: number }; after: { accuracy: number } }[];
    };
    const [told] = questions;
    assert.ok(told?.taken === true && questions.length === 1);
    assert.ok(told.after.accuracy > told.before.accuracy + 0.2, bench.out());

    const env = { NESTOR_DECISIONS_ENGINE: 'encoder', NESTOR_DECISIONS_LEARNED: out };
    const server = await startServer(t, { env, withEncoder: true });
    const ask = async (criteria: object, more: object = {}) => {
      const response = await server.post('/v1/decisions', {
        model: 'svc-decider-v1-27b',
        state: 'I was billed two times',
        questions: { queue: { ...question, criteria }, ...more },
      });
      assert.equal(response.status, 200);
      return (await response.json()) as {
        answers: Record<string, { choice: string; probabilities: object }>;
      };
    };
    const { answers } = await ask(question.criteria, {
      other: { type: 'noul', instructions: 'Is it a joke?' },
    });
    assert.equal(answers['queue']?.choice, 'q1');
    const reversed = await ask({ q3: null, q2: null, q1: null });
    assert.deepEqual(reversed.answers['queue']?.probabilities, answers['queue']?.probabilities);
    // A question with another word is another question.
    const { answers: others } = await ask({ ...question.criteria, q4: null });
    assert.notDeepEqual(others['queue']?.probabilities, answers['queue']?.probabilities);
  });

  test('writes nothing where it learned nothing, and ends with 1', async (t) => {
    const bench = createBench(t, openBareDecisions, { NESTOR_DECISIONS_ENGINE: 'encoder' });
    const answers = exampleLines().map((line, at) =>
      JSON.stringify({ ...(JSON.parse(line) as object), answer: ['q1', 'q2', 'q3'][(at * 7) % 3] }),
    );
    write(bench, answers);
    assert.equal(await runLearn(['mine.jsonl'], bench.context), 1, bench.out());
    assert.match(bench.out(), /nothing was surely better, and which stay as they are: 1/);
    assert.equal(existsSync(join(bench.folder, 'data/learned.json')), false);
    write(bench, exampleLines().slice(0, 9));
    assert.equal(await runLearn(['mine.jsonl'], bench.context), 1);
    assert.match(bench.out(), /fewer than 10 examples, or one answer only: 1/);
  });

  test('an engine without vectors is told, and a file that does not fit is refused', async (t) => {
    const bench = createBench(t, async () => openWordsEngine());
    write(bench, exampleLines());
    assert.equal(await runLearn(['mine.jsonl'], bench.context), 1);
    assert.match(bench.err(), /"words" has no vectors to learn from/);
    const path = join(bench.folder, 'learned.json');
    const good = { version: 1, features: 'a', heads: [] };
    writeFileSync(path, JSON.stringify(good));
    assert.equal(readHeads(path, 'a').size, 0);
    assert.throws(() => readHeads(path, 'b'), /learned with another version of the encoder/);
    assert.throws(() => readHeads(path, undefined), /the engine that answers has no vectors/);
    writeFileSync(path, JSON.stringify({ ...good, version: 2 }));
    assert.throws(() => readHeads(path, 'a'), /not a file of "nestor learn"/);
    writeFileSync(path, '{');
    assert.throws(() => readHeads(path, 'a'), /not valid JSON/);
    assert.throws(() => readHeads(join(bench.folder, 'gone'), 'a'), /cannot be read/);
  });
});
