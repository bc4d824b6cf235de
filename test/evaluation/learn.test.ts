import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { runLearn } from '../../src/features/decisions/commands/learn.ts';
import { openWordsEngine } from '../../src/features/decisions/engines/words/index.ts';
import { openBareDecisions } from '../../src/features/decisions/feature.ts';
import { readHeads } from '../../src/features/decisions/learning/heads-file.ts';
import { queueMessages, queueQuestion } from '../support/queues.ts';
import { startServer } from '../support/server.ts';
import { createBench, type Bench } from './support.ts';

const exampleLines = (criteria: object = queueQuestion.criteria): readonly string[] =>
  Object.entries(queueMessages).flatMap(([answer, texts]) =>
    texts.map((state) => JSON.stringify({ state, question: { ...queueQuestion, criteria }, answer })),
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
      questions: {
        taken: boolean;
        before: { accuracy: number };
        after: { accuracy: number };
        labels: { name: string; examples: number }[];
      }[];
    };
    const [told] = questions;
    assert.ok(told?.taken === true && questions.length === 1);
    assert.ok(told.after.accuracy > told.before.accuracy + 0.2, bench.out());
    assert.deepEqual(
      told.labels.map(({ name, examples }) => [name, examples]),
      Object.entries(queueMessages).map(([name, texts]) => [name, texts.length]),
    );

    const env = { NESTOR_DECISIONS_ENGINE: 'encoder', NESTOR_DECISIONS_LEARNED: out };
    const server = await startServer(t, { env, withEncoder: true });
    const ask = async (criteria: object, more: object = {}) => {
      const response = await server.post('/v1/decisions', {
        model: 'svc-decider-v1-27b',
        state: 'I was billed two times',
        questions: { queue: { ...queueQuestion, criteria }, ...more },
      });
      assert.equal(response.status, 200);
      return (await response.json()) as {
        answers: Record<string, { choice: string; probabilities: object }>;
      };
    };
    const { answers } = await ask(queueQuestion.criteria, {
      other: { type: 'noul', instructions: 'Is it a joke?' },
    });
    assert.equal(answers['queue']?.choice, 'q1');
    const reversed = await ask({ q3: null, q2: null, q1: null });
    assert.deepEqual(reversed.answers['queue']?.probabilities, answers['queue']?.probabilities);
    // A question with another word is another question.
    const { answers: others } = await ask({ ...queueQuestion.criteria, q4: null });
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
