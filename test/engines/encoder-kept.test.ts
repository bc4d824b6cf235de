import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { ReadAhead } from '../../src/features/decisions/deciders/read-ahead.ts';
import { openEncoderEngine } from '../../src/features/decisions/engines/encoder/index.ts';
import { toCases } from '../../src/features/decisions/evaluation/examples.ts';
import { holdEncoder } from '../support/held-encoder.ts';
import { queueExamples } from '../support/queues.ts';
import { until } from '../support/until.ts';

const { signal } = new AbortController();
const share = holdEncoder();
const cases = toCases(
  queueExamples.map(({ question, ...one }, row) => ({
    ...one,
    question: { ...question, type: 'choice' as const },
    source: String(row),
  })),
);
const states = cases.map(({ state }) => state);

/** The engine that ships, and how many rows its encoder has read. */
async function open(t: TestContext) {
  const read = { rows: 0 };
  const openEncoder = async () => {
    const encoder = await share();
    const run: typeof encoder.run = (rows, ...rest) => {
      read.rows += rows.length;
      return encoder.run(rows, ...rest);
    };
    return { ...encoder, run };
  };
  const engine = await openEncoderEngine({ openEncoder, isAuto: false });
  t.after(() => engine.close());
  const { features } = engine;
  const question = cases[0]?.question;
  assert.ok(features !== undefined && question !== undefined);
  await engine.opened;
  const plain = await features.of(states, question, signal);
  assert.equal(plain.length, states.length);
  return { engine, features, question, plain, read };
}

suite('vectors of what is learned from', () => {
  test('are made once, and are the same', async (t) => {
    const { engine, features, question, plain, read } = await open(t);
    const [first] = states;
    assert.ok(first !== undefined);
    const before = await engine.score(first, [question], signal);
    const from = read.rows;
    await features.keep(states, signal);
    assert.equal(read.rows - from, states.length);
    assert.deepEqual(await features.of(states, question, signal), plain);
    assert.deepEqual(await engine.score(first, [question], signal), before);
    assert.equal(read.rows - from, states.length);
  });

  test('of states that are only judged are not kept', async (t) => {
    const { features, question, read } = await open(t);
    const from = read.rows;
    await features.of(states, question, signal);
    await features.of(states, question, signal);
    assert.equal(read.rows - from, 2 * states.length);
  });

  test('are made as examples are given, and no further ones once it is stopped', async (t) => {
    const { features, question, read } = await open(t);
    const errors: unknown[] = [];
    const deciders = { featuresOf: () => Promise.resolve(features) };
    const readAhead = new ReadAhead({ deciders, onError: (error) => errors.push(error) });
    const from = read.rows;
    readAhead.begin('one', 'desk', states.slice(0, 10));
    readAhead.begin('one', 'desk', states.slice(10));
    await until(() => read.rows - from === states.length);
    await readAhead.stop('one');
    const known = read.rows;
    await features.of(states.slice(0, 10), question, signal);
    assert.equal(read.rows, known);

    const others = states.map((state) => ({ ...state, text: `${state.text}, please` }));
    readAhead.begin('one', 'desk', others);
    await readAhead.stop('one');
    readAhead.begin('one', 'desk', states.slice(0, 1));
    await readAhead.close();
    assert.equal(read.rows, known);
    assert.deepEqual(errors, []);
  });
});
