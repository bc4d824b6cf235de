import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import type { NormalizedQuestion, State } from '../../src/features/decisions/engine.ts';
import { cosine } from '../../src/features/decisions/engines/onnx/adapters/cosine/index.ts';
import { openOnnxEngine } from '../../src/features/decisions/engines/onnx/index.ts';
import { openEngine } from '../../src/features/decisions/open-decisions.ts';
import { openOnnxModel, type OnnxModel } from '../../src/features/models/feature.ts';
import { writeTestModel } from '../support/gguf.ts';
import { writeOnnxModel, type TestOnnx } from '../support/onnx.ts';
import { startServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { miniLm, skipsWeights } from '../support/weights.ts';

const never = new AbortController().signal;
const stateOf = (text: string): State => ({ entry: text, text, images: [] });
const choice = (...names: readonly string[]): NormalizedQuestion => ({
  kind: 'choice',
  question: 'where is it',
  options: names.map((name) => ({ name, description: '' })),
});
const noul = (question: string, yes = '', no = ''): NormalizedQuestion => ({
  kind: 'noul',
  question,
  options: [
    { name: 'true', description: yes },
    { name: 'false', description: no },
  ],
});
const score: NormalizedQuestion = {
  kind: 'score',
  question: '',
  options: ['no', '', 'yes'].map((description, index) => ({ name: String(index), description })),
};

async function open(t: TestContext, model: TestOnnx) {
  const engine = await openOnnxEngine({ path: await writeOnnxModel(t, model) });
  t.after(() => engine.close());
  assert.equal(engine.problem, null);
  return engine;
}

const nli: TestOnnx = { output: 'logits', labels: ['ENTAILMENT', 'neutral', 'contradiction'], pooling: null };
const twoWay: TestOnnx = { output: 'logits', labels: ['not_entailment', 'entailment'], pooling: null };
const reranker: TestOnnx = { output: 'logits', pooling: null };
const models: Readonly<Record<string, TestOnnx>> = { encoder: {}, nli, 'two-way nli': twoWay, reranker };

for (const [name, model] of Object.entries(models)) {
  suite(`the decision engine onnx, ${name}`, () => {
    test('answers do not depend on other questions, on other accounts or on the order of options', async (t) => {
      const engine = await open(t, model);
      const state = stateOf('the bird lives in the mountains');
      const questions = [
        choice('a card', 'a bird', 'money'),
        noul('a refund'),
        noul('card', 'yes', 'no'),
        score,
      ];
      const together = await engine.score(state, questions, never, 'a');
      assert.deepEqual(
        together.map(({ length }) => length),
        [3, 2, 2, 3],
      );
      for (const distribution of together) {
        assert.ok(distribution.every((p) => p > 0 && p < 1));
        assert.ok(Math.abs(distribution.reduce((sum, p) => sum + p, 0) - 1) < 1e-9);
      }
      for (const [index, question] of questions.entries()) {
        const alone = await engine.score(stateOf(state.text), [question], never, 'b');
        assert.deepEqual(alone, [together[index]]);
      }
      const turned = await engine.score(state, [choice('money', 'a bird', 'a card')], never);
      assert.deepEqual(turned[0]?.toReversed(), together[0]);
    });

    test('a state longer than the model reads is cut into windows, told and counted whole', async (t) => {
      const engine = await open(t, { ...model, tokensMax: 32 });
      const long = stateOf('the kea is a parrot. '.repeat(30));
      const question = choice('a parrot', 'a refund');
      const windows = await engine.countWindows?.(long, never);
      assert.ok(
        windows !== undefined && windows.total > 4 && windows.read < windows.total,
        JSON.stringify(windows),
      );
      assert.deepEqual(await engine.countWindows?.(stateOf('the kea'), never), { total: 1, read: 1 });
      assert.ok((await engine.countTokens(long, [question], never)) > 180);
      const [answer] = await engine.score(long, [question], never);
      assert.equal(answer?.length, 2);
      const tooLong = { code: 'context_length_exceeded' };
      await assert.rejects(
        engine.countTokens(stateOf('the kea. '.repeat(8_000)), [question], never),
        tooLong,
      );
      await assert.rejects(engine.countTokens(long, [choice('a', 'the '.repeat(40))], never), tooLong);
    });
  });
}

suite('the decision engine onnx', () => {
  test('a state is encoded once for all that is asked about it, also later, and options for all states', async (t) => {
    const model = await openOnnxModel({ path: await writeOnnxModel(t) });
    t.after(() => model.close());
    let rowsRead = 0;
    const counted: OnnxModel = {
      ...model,
      run(rows, signal, account) {
        rowsRead += rows.length;
        return model.run(rows, signal, account);
      },
    };
    const reader = cosine.open(counted);
    const caller = { signal: never, account: 'a' };
    const ask = (state: string, ...questions: readonly NormalizedQuestion[]) =>
      reader.score([state], questions, caller);
    const both = await ask('the bird lives', noul('a card'), choice('a bird', 'money'));
    assert.equal(rowsRead, 4);
    assert.deepEqual(await ask('the bird lives', choice('a bird', 'money')), both.slice(1));
    assert.equal(rowsRead, 4);
    await ask('the kea lives', noul('a card'));
    assert.equal(rowsRead, 5);
  });

  test('a classifier of something else is refused, and the engine says what it asks and with what', async (t) => {
    const other = await writeOnnxModel(t, { output: 'logits', labels: ['joy', 'anger'], pooling: null });
    const engine = await openOnnxEngine({ path: other });
    assert.equal(
      engine.problem,
      `${other}: no adapter asks a classifier with 2 outputs and the labels joy, anger`,
    );
    assert.equal(engine.health(), 'down');
    await assert.rejects(engine.score(stateOf('a'), [noul('b')], never), { code: 'service_unavailable' });
    assert.match((await open(t, nli)).about ?? '', /asked by the adapter pairs, 256 tokens a row/);
    assert.match(
      (await open(t, {})).about ?? '',
      /asked by the adapter cosine, .*"nestor calibrate" fits them$/,
    );
  });

  test('auto takes a model that is named, and none that only lies in the data folder', async (t) => {
    const dataFolder = await temporaryFolder(t);
    const folder = await writeOnnxModel(t, {}, join(dataFolder, 'models', 'encoder'));
    const choice = { upstreams: [], gpu: false, timeoutMs: 1_000, dataFolder } as const;
    const gguf = await writeTestModel();
    const noRoom = { ...choice, engine: 'auto', path: null, openEncoder: null };
    assert.equal((await openEngine(noRoom)).name, 'words');
    for (const [engine, path, name] of [
      ['auto', folder, 'onnx'],
      ['auto', join(folder, 'model.onnx'), 'onnx'],
      ['auto', gguf, 'local'],
      ['auto', null, 'encoder'],
      ['onnx', null, 'onnx'],
    ] as const) {
      const opened = await openEngine({ ...choice, engine, path });
      t.after(() => opened.close());
      const { problem = null } = (await opened.opened) ?? opened;
      assert.deepEqual([opened.name, problem], [name, null], `${engine} ${path}`);
    }
  });
});

suite('all-MiniLM-L6-v2 decides', { skip: skipsWeights }, () => {
  test('through a whole server, and says into how many windows it cut a long state', async (t) => {
    const config = JSON.stringify({ decisions: { path: miniLm('int8') } });
    const server = await startServer(t, { config });
    const ask = async (state: string) => {
      const response = await server.post('/v1/decisions', {
        model: 'svc-decider-v1-27b',
        state,
        questions: {
          topic: {
            type: 'choice',
            instructions: 'What is it about?',
            criteria: { lost_card: null, exchange_rate: null, top_up_failed: null },
          },
          card: { type: 'noul', instructions: 'Is the message about a bank card?' },
        },
      });
      assert.equal(response.status, 200, await response.clone().text());
      const { answers } = (await response.json()) as {
        readonly answers: {
          readonly topic: { readonly choice: string };
          readonly card: { readonly noul: number };
        };
      };
      return { ...answers, headers: response.headers };
    };
    const short = await ask('I think somebody took my bank card, I cannot find it anywhere');
    assert.equal(short.topic.choice, 'lost_card');
    assert.ok(short.card.noul > 0.5);
    assert.equal(short.headers.get('x-nestor-engine'), 'onnx');
    assert.equal(short.headers.get('x-nestor-state-windows'), null);
    const filling = 'The weather was fine and we walked along the river for an hour. '.repeat(50);
    const long = await ask(`${filling}My bank card is lost, I cannot find it. ${filling}`);
    assert.equal(long.topic.choice, 'lost_card');
    assert.match(long.headers.get('x-nestor-state-windows') ?? '', /^4 of 2[0-9]$/);
  });
});
