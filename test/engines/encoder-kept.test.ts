import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import type { VectorsOf } from '../../src/features/decisions/deciders/example-vectors.ts';
import { ReadAhead } from '../../src/features/decisions/deciders/read-ahead.ts';
import { openEncoderEngine } from '../../src/features/decisions/engines/encoder/index.ts';
import { toCases } from '../../src/features/decisions/evaluation/examples.ts';
import { holdEncoder } from '../support/held-encoder.ts';
import { queueExamples } from '../support/queues.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
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

/** The engine that ships, and of how many rows its encoder has made vectors. */
async function open(t: TestContext) {
  const read = { rows: 0 };
  const openEncoder = async () => {
    const encoder = await share();
    const run: typeof encoder.run = (rows, ...rest) => {
      read.rows += rows.filter(({ about }) => about === undefined).length;
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
    const unknown = states.map(() => null);
    await features.keep(states, unknown, signal);
    assert.equal(read.rows - from, states.length);
    assert.deepEqual(await features.of(states, question, signal), plain);
    assert.deepEqual(await engine.score(first, [question], signal), before);
    assert.equal(read.rows - from, states.length);
  });

  test('are taken as they were made before, by another process too', async (t) => {
    const { features, question, plain } = await open(t);
    const long = {
      ...cases[0]?.state,
      text: 'My card was charged twice. '.repeat(60),
      entry: '',
      images: [],
    };
    const all = [...states, long];
    const made = await features.keep(
      all,
      all.map(() => null),
      signal,
    );
    const [ofLong] = await features.of([long], question, signal);
    const other = await open(t);
    const from = other.read.rows;
    assert.deepEqual(await other.features.keep(all, made, signal), made);
    assert.deepEqual(await other.features.of(states, question, signal), plain);
    assert.deepEqual(await other.features.of([long], question, signal), [ofLong]);
    assert.equal(other.read.rows, from);
    assert.ok((made.at(-1)?.length ?? 0) > 2 * (made[0]?.length ?? 0), 'a long state has several windows');
    // What does not fit the windows of a state is made again.
    const wrong = made.map((vectors) => vectors.subarray(1));
    const third = await open(t);
    const before = third.read.rows;
    assert.deepEqual(await third.features.keep(states, wrong, signal), made.slice(0, -1));
    assert.equal(third.read.rows - before, states.length);
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
    const kept = new Map<string, Float32Array>();
    const vectorsOf: VectorsOf = () => ({
      find: (asked) =>
        Promise.resolve(
          new Map(asked.flatMap((one) => (kept.has(one.id) ? [[one, kept.get(one.id) ?? none]] : []))),
        ),
      async put(made) {
        for (const [{ id }, vectors] of made) kept.set(id, vectors);
        await Promise.resolve();
      },
    });
    const readAhead = new ReadAhead({ deciders, vectorsOf, onError: (error) => errors.push(error) });
    const of = { accountId: 'one', decider: 'desk' };
    const added = states.map((state, at) => ({ id: String(at), state }));
    const from = read.rows;
    readAhead.begin(of, added.slice(0, 10));
    readAhead.begin(of, added.slice(10));
    await until(() => kept.size === states.length);
    assert.equal(read.rows - from, states.length);
    // Another decider, or another process, finds them where they are kept.
    readAhead.begin(of, added);
    await readAhead.stop('one');
    const known = read.rows;
    await features.of(states.slice(0, 10), question, signal);
    assert.equal(read.rows, known);

    // What waits behind what is under way when it is stopped is not begun.
    const others = states.map((state, at) => ({
      id: `other ${at}`,
      state: { ...state, text: `${state.text}, please` },
    }));
    readAhead.begin(of, others.slice(0, 5));
    readAhead.begin(of, others.slice(5));
    await readAhead.stop('one');
    assert.ok(read.rows - known <= 5 && kept.size === states.length + read.rows - known);
    const left = read.rows;
    readAhead.begin(of, others.slice(5));
    await readAhead.close();
    assert.equal(read.rows, left);
    assert.deepEqual(errors, []);
  });
});

const none = new Float32Array();

/** The shared encoder as it is before its weights are open. */
const openClosed = async () => {
  const encoder = await share();
  let isOpen = false;
  return {
    ...encoder,
    isOpen: () => isOpen,
    tokenize: (...asked: Parameters<typeof encoder.tokenize>) => {
      isOpen = true;
      return encoder.tokenize(...asked);
    },
  };
};

test('weights are opened at each start, though vectors of the start before lie on disk', async (t) => {
  const cacheFolder = await temporaryFolder(t);
  const [one] = cases;
  assert.ok(one !== undefined);
  for (const start of ['first', 'second']) {
    const engine = await openEncoderEngine({ openEncoder: openClosed, isAuto: true, cacheFolder });
    await engine.opened;
    await engine.score(one.state, [one.question], signal);
    assert.equal(engine.answeredBy?.(one.state), 'encoder', start);
    await engine.close();
  }
});
