import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { openLocalEngine, type LocalEngine } from '../../src/features/decisions/engines/local/index.ts';
import { writeTestModel } from '../support/gguf.ts';
import { choiceOf, noulOf, proseOf, stateOf } from '../support/gguf-questions.ts';

const never = new AbortController().signal;

suite('the local engine, many callers', () => {
  let engine: LocalEngine;
  before(async () => {
    engine = await openLocalEngine({ path: await writeTestModel(), threads: 1, cacheBytes: 64 * 1_048_576 });
  });
  after(() => engine.close());

  test('a small request is not kept out by large ones', async () => {
    const finished: string[] = [];
    const many = Array.from({ length: 60 }, (_, index) => noulOf(`Question ${index}?`));
    const ask = async (name: string, text: string, questions: readonly ReturnType<typeof noulOf>[]) => {
      await engine.score(stateOf(text), questions, never);
      finished.push(name);
    };
    // More large ones than there are lanes, so that the small one has to be given a lane.
    const large = Array.from({ length: 6 }, (_, index) =>
      ask(`large ${index}`, proseOf(12, `L${index}`), many),
    );
    await Promise.all([...large, ask('small', proseOf(3, 'S'), [noulOf('Is it?')])]);
    assert.equal(finished.length, 7);
    assert.equal(finished[0], 'small');
  });

  test('eight at once on one state share its evaluation and finish together', async () => {
    const text = proseOf(40, 'shared');
    const start = engine.evaluatedTokens();
    const finished: number[] = [];
    const questions = (client: number) =>
      Array.from({ length: 8 }, (_, index) => noulOf(`${client}: question ${index}?`));
    const total = (
      await Promise.all(
        Array.from({ length: 8 }, async (_, client) => {
          const tokens = await engine.countTokens(stateOf(text), questions(client), never);
          await engine.score(stateOf(text), questions(client), never);
          finished.push(engine.evaluatedTokens() - start);
          return tokens;
        }),
      )
    ).reduce((sum, tokens) => sum + tokens, 0);
    const state = await engine.countTokens(stateOf(text), [], never);
    assert.ok(engine.evaluatedTokens() - start <= total - 7 * state, 'the state was evaluated once');
    const [first, last] = [Math.min(...finished), Math.max(...finished)];
    assert.ok(last - first < last / 4, `${finished.join(' ')}: the last waits little longer than the first`);
  });

  test('says at once what it says alone, for eight states beside each other', async () => {
    const texts = Array.from({ length: 8 }, (_, index) => proseOf(4 + 7 * index, `t${index}`));
    const questions = [choiceOf(40), noulOf('Is it?'), choiceOf(3)];
    const alone: unknown[] = [];
    for (const text of texts) alone.push(await engine.score(stateOf(text), questions, never));
    const together = await Promise.all(texts.map((text) => engine.score(stateOf(text), questions, never)));
    assert.deepEqual(together, alone);
  });

  test('an abort before, while queued and while evaluated rejects with its reason and leaves no trace', async () => {
    const questions = Array.from({ length: 30 }, (_, index) => noulOf(`Question ${index}?`));
    const text = proseOf(30, 'abort');
    const expected = await engine.score(stateOf(text), questions, never);
    const reason = new Error('gone');
    await assert.rejects(engine.score(stateOf(text), questions, AbortSignal.abort(reason)), reason);
    await assert.rejects(engine.countTokens(stateOf(text), questions, AbortSignal.abort(reason)), reason);

    const busy = engine.score(stateOf(proseOf(90, 'busy')), questions, never);
    const running = new AbortController();
    const aborted = engine.score(stateOf(proseOf(50, 'run')), questions, running.signal);
    setTimeout(() => running.abort(reason), 5);
    const before = engine.evaluatedTokens();
    await assert.rejects(aborted, reason);
    const queued = new AbortController();
    const neverRuns = engine.score(stateOf(proseOf(50, 'queue')), questions, queued.signal);
    queued.abort(reason);
    await assert.rejects(neverRuns, reason);
    assert.ok(engine.evaluatedTokens() - before < 2_000, 'the rest was not evaluated');
    await busy;
    assert.deepEqual(await engine.score(stateOf(text), questions, never), expected);
  });

  test('an abort in the middle of a question of several chunks leaves no trace', async () => {
    const state = stateOf(proseOf(10, 'mid'));
    const long = [choiceOf(255)];
    const expected = await engine.score(state, long, never);
    for (const delay of [1, 10, 20, 40]) {
      const controller = new AbortController();
      const aborted = engine.score(state, long, controller.signal).catch(() => 'aborted');
      const beside = engine.score(state, long, never);
      setTimeout(() => controller.abort(new Error('gone')), delay);
      await aborted;
      assert.deepEqual(await beside, expected);
    }
  });

  test('close ends what waits and what runs; later calls are refused', async () => {
    const other = await openLocalEngine({ path: await writeTestModel(), threads: 1 });
    const questions = Array.from({ length: 50 }, (_, index) => noulOf(`Question ${index}?`));
    const calls = [proseOf(20, 'a'), proseOf(20, 'b')].map((text) =>
      other.score(stateOf(text), questions, never),
    );
    const outcomes = Promise.allSettled(calls);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await other.close();
    for (const outcome of await outcomes) assert.equal(outcome.status, 'rejected');
    assert.equal(other.health(), 'down');
    await assert.rejects(other.score(stateOf('x'), questions, never), { code: 'service_unavailable' });
    await assert.rejects(other.countTokens(stateOf('x'), questions, never), { code: 'service_unavailable' });
    await other.close();
  });
});
