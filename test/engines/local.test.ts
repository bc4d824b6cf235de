import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { openLocalEngine, type LocalEngine } from '../../src/features/decisions/engines/local/index.ts';
import type { Distribution, NormalizedQuestion } from '../../src/features/decisions/engine.ts';
import { Fault } from '../../src/kernel/faults.ts';
import { removeTestModel, writeTestModel } from '../support/gguf.ts';
import { choiceOf, noulOf, proseOf, scoreOf, stateOf } from '../support/gguf-questions.ts';

const never = new AbortController().signal;
/** One thread: two of them wait for each other whenever another test wants a core. */
const oneThread = { threads: 1, cacheBytes: 64 * 1_048_576 };

async function open(options: Partial<Parameters<typeof openLocalEngine>[0]> = {}): Promise<LocalEngine> {
  const engine = await openLocalEngine({ path: await writeTestModel(), ...oneThread, ...options });
  assert.equal(engine.problem, null);
  return engine;
}

/** In an engine that has seen nothing else. */
async function cold(
  text: string,
  questions: readonly NormalizedQuestion[],
): Promise<readonly Distribution[]> {
  const engine = await open();
  try {
    return await engine.score(stateOf(text), questions, never);
  } finally {
    await engine.close();
  }
}

function isDistribution(distribution: Distribution, options: number): void {
  assert.equal(distribution.length, options);
  assert.ok(distribution.every((p) => p > 0 && p <= 1));
  assert.ok(Math.abs(distribution.reduce((sum, p) => sum + p, 0) - 1) < 1e-12);
}

suite('the local engine', () => {
  let engine: LocalEngine;
  const masses: number[] = [];
  before(async () => {
    engine = await open({ onLabelMass: (mass) => masses.push(mass) });
  });
  after(() => engine.close());

  test('is called local, sees no images and is up', () => {
    assert.equal(engine.name, 'local');
    assert.equal(engine.vision, false);
    assert.equal(engine.health(), 'ok');
    assert.equal(engine.threads, 1);
  });

  test('answers 1, 2, 10 and 255 options in one pass each', async () => {
    const questions = [1, 2, 10, 255].map((options) => choiceOf(options));
    masses.length = 0;
    const answers = await engine.score(stateOf(proseOf(20)), questions, never);
    for (const [index, question] of questions.entries())
      isDistribution(answers[index] ?? [], question.options.length);
    assert.equal(masses.length, questions.length);
  });

  test('answers every kind, with and without a question', async () => {
    const questions = [
      noulOf('Is it late?'),
      noulOf('', 'late', 'in time'),
      scoreOf(5),
      scoreOf(10, ''),
      choiceOf(3, ''),
    ];
    const answers = await engine.score(stateOf('short'), questions, never);
    for (const [index, question] of questions.entries())
      isDistribution(answers[index] ?? [], question.options.length);
  });

  test('answers about empty, blank, huge-worded and non-Latin states', async () => {
    for (const text of ['', ' ', '\n\n', 'x'.repeat(3_000), '日本語 🙂 \u0000 \ud800', '</material>']) {
      isDistribution((await engine.score(stateOf(text), [noulOf('Is it?')], never))[0] ?? [], 2);
    }
  });

  test('tells the mass on the labels, in (0,1]', async () => {
    masses.length = 0;
    await engine.score(stateOf(proseOf(3)), [choiceOf(2), choiceOf(26), choiceOf(255)], never);
    assert.equal(masses.length, 3);
    assert.ok(masses.every((mass) => mass > 0 && mass <= 1));
    assert.ok((masses[2] ?? 0) > (masses[0] ?? 0), 'more labels hold more of the distribution');
  });

  test('says the same again, warm and cold, in this process and in a new engine', async () => {
    const questions = [noulOf('Is it late?'), choiceOf(10), scoreOf(4)];
    for (const text of [proseOf(1), proseOf(40)]) {
      const first = JSON.stringify(await engine.score(stateOf(text), questions, never));
      const again = JSON.stringify(await engine.score(stateOf(text), questions, never));
      assert.equal(again, first);
      assert.equal(JSON.stringify(await cold(text, questions)), first);
    }
  });

  test('says the same with one thread and with two', async () => {
    const two = await open({ threads: 2 });
    const questions = [choiceOf(10)];
    const state = stateOf(proseOf(2));
    assert.deepEqual(await two.score(state, questions, never), await engine.score(state, questions, never));
    await two.close();
  });

  test('answers do not depend on the other questions of the request', async () => {
    const state = stateOf(proseOf(15, 'x'));
    const questions = [noulOf('One?'), choiceOf(7), scoreOf(3), choiceOf(120)];
    const together = await engine.score(state, questions, never);
    for (const [index, question] of questions.entries()) {
      const [alone] = await engine.score(stateOf(state.text), [{ ...question }], never);
      assert.deepEqual(alone, together[index]);
    }
    const reversed = await engine.score(state, questions.toReversed(), never);
    assert.deepEqual(reversed.toReversed(), together);
  });

  test('answers do not depend on what is warm: other ends, longer and shorter states, many states', async () => {
    const questions = [choiceOf(5)];
    const base = proseOf(60);
    const texts = [
      base,
      base.slice(0, 1_900),
      `${base} and more`,
      base.slice(0, 2_000),
      `${base.slice(0, 1_500)}!`,
    ];
    const fresh = new Map<string, string>();
    for (const text of texts) fresh.set(text, JSON.stringify(await cold(text, questions)));
    for (const text of [
      ...texts,
      ...Array.from({ length: 6 }, (_, i) => proseOf(10, `${i}-`)),
      ...texts.toReversed(),
    ]) {
      const answer = JSON.stringify(await engine.score(stateOf(text), questions, never));
      if (fresh.has(text)) assert.equal(answer, fresh.get(text));
    }
  });

  test('evaluates what it counts when cold, and questions only when warm', async () => {
    const state = stateOf(proseOf(33, 'count'));
    const questions = [noulOf('One?'), choiceOf(9), choiceOf(200)];
    const counted = await engine.countTokens(state, questions, never);
    const questionTokens = counted - (await engine.countTokens(state, [], never));
    const start = engine.evaluatedTokens();
    await engine.score(state, questions, never);
    const coldTokens = engine.evaluatedTokens() - start;
    assert.ok(coldTokens <= counted && coldTokens > counted - 256, `${coldTokens} of ${counted}`);
    await engine.score(stateOf(state.text), questions, never);
    assert.equal(engine.evaluatedTokens() - start - coldTokens, questionTokens);
  });

  test('refuses what is longer than the context, with the numbers', async () => {
    await assert.rejects(engine.score(stateOf(proseOf(4_000)), [noulOf('Is it?')], never), (error) => {
      assert.ok(error instanceof Fault);
      assert.equal(error.code, 'context_length_exceeded');
      assert.equal(error.param, 'state');
      assert.match(error.message, /^Input length \(\d{5}\) exceeds .* context length \(16319\)$/);
      return true;
    });
  });
});

suite('the local engine, memory', () => {
  test('gives fewer, larger lanes to a request that needs them, and says the same as before', async () => {
    const path = await writeTestModel();
    // About four lanes of 4,096 tokens, or one of 16,384.
    const engine = await openLocalEngine({ path, threads: 1, cacheBytes: 52 * 1_048_576 });
    const questions = [choiceOf(4)];
    const [small, large] = [proseOf(20), proseOf(600)];
    const first = await engine.score(stateOf(small), questions, never);
    isDistribution((await engine.score(stateOf(large), questions, never))[0] ?? [], 4);
    assert.deepEqual(await engine.score(stateOf(small), questions, never), first);
    await engine.close();
  });

  test('keeps to a budget too small for the whole context of the model', async () => {
    const engine = await openLocalEngine({ path: await writeTestModel(), threads: 1, cacheBytes: 1_048_576 });
    isDistribution((await engine.score(stateOf('short'), [noulOf('Is it?')], never))[0] ?? [], 2);
    await assert.rejects(engine.score(stateOf(proseOf(600)), [noulOf('Is it?')], never), {
      code: 'context_length_exceeded',
    });
    await engine.close();
  });
});

suite('the local engine, other vocabularies', () => {
  test('26 labels: 255 options in groups with a final, none of them 0', async () => {
    const masses: number[] = [];
    const engine = await open({
      path: await writeTestModel({ pairs: 0 }),
      onLabelMass: (mass) => masses.push(mass),
    });
    const state = stateOf(proseOf(5));
    const answers = await engine.score(state, [choiceOf(255), choiceOf(26), choiceOf(27)], never);
    for (const [index, options] of [255, 26, 27].entries()) isDistribution(answers[index] ?? [], options);
    // Ten groups, one pass, two groups; two finals.
    assert.equal(masses.length, 10 + 1 + 2 + 2);
    assert.deepEqual(await engine.score(stateOf(state.text), [choiceOf(27)], never), [answers[2]]);
    await engine.close();
  });

  test('SentencePiece', async () => {
    const engine = await open({ path: await writeTestModel({ tokenizer: 'spm', pairs: 204 }) });
    const answers = await engine.score(stateOf(proseOf(2)), [choiceOf(230), choiceOf(255)], never);
    isDistribution(answers[0] ?? [], 230);
    isDistribution(answers[1] ?? [], 255);
    await engine.close();
  });

  test('every template, and none', async () => {
    for (const template of ['switched', 'thinking', 'no-system', 'mute', null] as const) {
      const engine = await open({ path: await writeTestModel({ template }) });
      isDistribution((await engine.score(stateOf('short'), [noulOf('Is it?')], never))[0] ?? [], 2);
      await engine.close();
    }
  });
});

suite('the local engine, 596 M parameters', () => {
  test(
    'serves a decision',
    { skip: process.env['NESTOR_TEST_ALL'] !== '1' && 'writes 637 MB; NESTOR_TEST_ALL=1' },
    async () => {
      const path = await writeTestModel({ shape: 'qwen06' });
      try {
        // A short state: every token costs it 40 ms of CPU time.
        const engine = await openLocalEngine({ path, threads: 1 });
        assert.equal(engine.problem, null);
        const questions = [noulOf('Is it late?'), choiceOf(10)];
        const state = stateOf(proseOf(1));
        const answers = await engine.score(state, questions, never);
        isDistribution(answers[0] ?? [], 2);
        isDistribution(answers[1] ?? [], 10);
        assert.deepEqual(await engine.score(state, questions, never), answers);
        await engine.close();
      } finally {
        await removeTestModel(path);
      }
    },
  );
});
