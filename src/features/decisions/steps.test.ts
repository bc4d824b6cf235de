import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { DecisionEngine, State, Distribution, NormalizedQuestion } from './engine.ts';
import { neutralTemperature, temper, temperatureFor, type Calibration } from './calibration.ts';
import { negate, withNegation } from './negation.ts';
import { ordersOf, withOrders } from './order.ts';
import { withPrior } from './prior.ts';
import { withSteps } from './steps.ts';

const { signal } = new AbortController();
const state: State = { entry: 'text', text: 'text', images: [] };

type Weigh = (question: NormalizedQuestion, place: number, text: string) => number;

/** An engine that weighs each option by a function, and remembers what it was asked. */
function engineOf(
  weigh: Weigh,
): DecisionEngine & { readonly asked: NormalizedQuestion[][]; readonly accounts: unknown[] } {
  const asked: NormalizedQuestion[][] = [];
  const accounts: unknown[] = [];
  return {
    name: 'weigher',
    vision: false,
    asked,
    accounts,
    health: () => 'ok',
    countTokens: async () => 1,
    async score({ text }, questions, _signal, account) {
      asked.push([...questions]);
      accounts.push(account);
      return questions.map((question): Distribution => {
        const weights = question.options.map((_, place) => weigh(question, place, text));
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        return weights.map((weight) => weight / total);
      });
    },
    close: async () => {},
  };
}

const choice = (...names: string[]): NormalizedQuestion => ({
  kind: 'choice',
  question: 'Which?',
  options: names.map((name) => ({ name, description: '' })),
});
const noul = (question: string): NormalizedQuestion => ({
  kind: 'noul',
  question,
  options: [
    { name: 'true', description: 'yes means this' },
    { name: 'false', description: 'no means that' },
  ],
});

/** Likes whatever stands first. */
const biased: Weigh = (question, place) =>
  (place === 0 ? 3 : 1) * (question.options[place]?.name === 'b' ? 2 : 1);

const close = (actual: Distribution | undefined, expected: Distribution) => {
  assert.equal(actual?.length, expected.length);
  for (const [index, p] of expected.entries())
    assert.ok(Math.abs((actual[index] ?? 0) - p) < 1e-12, String(actual));
};

suite('orders', () => {
  test('one pass asks what was sent and nothing else', async () => {
    const engine = engineOf(biased);
    assert.equal(withOrders(engine, 1), engine);
  });

  test('two passes ask forwards and backwards from an order that is not the caller’s', () => {
    assert.deepEqual(ordersOf(choice('c', 'a', 'b'), 2), [
      [1, 2, 0],
      [0, 2, 1],
    ]);
    assert.deepEqual(ordersOf({ ...choice('x', 'a'), kind: 'score' }, 2), [
      [0, 1],
      [1, 0],
    ]);
  });

  test('levels are asked upwards and downwards and never from the middle', () => {
    assert.deepEqual(ordersOf({ ...choice('0', '1', '2'), kind: 'score' }, 'n'), [
      [0, 1, 2],
      [2, 1, 0],
    ]);
  });

  test('rotations put every option first once, up to a bound', () => {
    const firsts = ordersOf(choice('a', 'b', 'c', 'd'), 'n').map(([first]) => first);
    assert.deepEqual(firsts, [0, 1, 2, 3]);
    const many = choice(...Array.from({ length: 255 }, (_, index) => `option ${index}`));
    assert.equal(ordersOf(many, 'n').length, 8);
  });

  for (const passes of [2, 'n'] as const) {
    test(`with ${passes} passes a biased engine answers the same whatever the order, to the last bit`, async () => {
      const engine = withOrders(engineOf(biased), passes);
      const [abc = []] = await engine.score(state, [choice('a', 'b', 'c')], signal);
      const [cab = []] = await engine.score(state, [choice('c', 'a', 'b')], signal);
      assert.deepEqual([cab[1], cab[2], cab[0]], abc);
      if (passes === 'n') assert.ok((abc[1] ?? 0) > (abc[0] ?? 0));
    });
  }

  test('a question is answered alike beside other questions', async () => {
    const engine = withOrders(engineOf(biased), 2);
    const alone = await engine.score(state, [choice('a', 'b')], signal);
    const [, beside] = await engine.score(state, [noul('x'), choice('a', 'b')], signal);
    assert.deepEqual(beside, alone[0]);
  });
});

suite('negation', () => {
  test('an engine that says yes to everything answers one half', async () => {
    const engine = withNegation(engineOf((_view, place) => (place === 0 ? 9 : 1)));
    close((await engine.score(state, [noul('Is it raining?')], signal))[0], [0.5, 0.5]);
  });

  test('the denial changes the definitions of yes and no, and other kinds are left alone', async () => {
    const engine = engineOf(biased);
    await withNegation(engine).score(state, [choice('a', 'b'), noul('Is it raining?')], signal);
    const [asked = []] = engine.asked;
    assert.deepEqual(
      asked.map(({ kind }) => kind),
      ['choice', 'noul', 'noul'],
    );
    assert.deepEqual(
      negate(noul('q')).options.map(({ description }) => description),
      ['no means that', 'yes means this'],
    );
  });
});

suite('prior', () => {
  test('what an engine prefers without a state is taken off', async () => {
    const engine = withPrior(engineOf((question, place) => (question.options[place]?.name === 'a' ? 8 : 1)));
    close((await engine.score(state, [choice('b', 'a', 'c')], signal))[0], [1 / 3, 1 / 3, 1 / 3]);
  });

  test('is asked once for a question, in whatever order it comes', async () => {
    const engine = engineOf(biased);
    const judged = withPrior(engine);
    await judged.score(state, [choice('a', 'b')], signal);
    await judged.score(state, [choice('b', 'a')], signal);
    assert.equal(engine.asked.length, 3);
  });

  test('is not taken off what a rule answers, which favours nothing', async () => {
    const engine = {
      ...engineOf((question, place) => (question.options[place]?.name === 'a' ? 8 : 1)),
      countRuled: (_: State, questions: readonly NormalizedQuestion[]) =>
        questions.filter(({ question }) => question === 'By rule?').length,
    };
    const ruled = { ...choice('a', 'b'), question: 'By rule?' };
    const [byRule, byEngine] = await withPrior(engine).score(state, [ruled, choice('a', 'b')], signal);
    close(byRule, [8 / 9, 1 / 9]);
    close(byEngine, [1 / 2, 1 / 2]);
    assert.deepEqual(engine.asked.at(-1), [choice('a', 'b')]);
  });

  test('that another engine told in its place is not kept', async () => {
    let answering = 'other';
    const engine = engineOf((question, place) =>
      (question.options[place]?.name === 'a') === (answering === 'other') ? 8 : 1,
    );
    const judged = withPrior({ ...engine, answeredBy: () => answering });
    await judged.score(state, [choice('a', 'b')], signal);
    answering = 'weigher';
    close((await judged.score(state, [choice('a', 'b')], signal))[0], [1 / 2, 1 / 2]);
  });
});

suite('temperature', () => {
  test('grows with the number of options and has a floor', () => {
    const temperature = { min: 0.05, a: 10.124, b: -1.633 };
    assert.ok(Math.abs(temperatureFor(temperature, 2) - 8.992) < 1e-3);
    assert.equal(temperatureFor(temperature, 1e6), 0.05);
  });

  test('1 changes nothing, above flattens, below sharpens, and zero stays zero', () => {
    const p = [0.7, 0.3, 0];
    assert.equal(temper(p, 1), p);
    const [flat = 0] = temper(p, 2);
    const [sharp = 0] = temper(p, 0.5);
    assert.ok(flat < 0.7 && sharp > 0.7);
    assert.equal(temper(p, 2)[2], 0);
    close(temper([0.9, 0.1], 2), [0.75, 0.25]);
  });
});

const calibration: Calibration = {
  version: 1,
  engine: 'weigher',
  promptVersion: 1,
  fittedAt: '2026-11-20T00:00:00Z',
  temperatures: {
    noul: { min: 0.1, a: 2, b: 0 },
    choice: { min: 0.1, a: 1.5, b: -0.1 },
    score: neutralTemperature,
  },
  figures: { examples: 1, accuracy: 1, nll: 0, ece: 0 },
};
const allSteps = { passes: 'n', prior: true, negation: true, calibration } as const;

test('all steps together give distributions for every kind and size', async () => {
  const engine = withSteps(engineOf(biased), allSteps);
  const questions: NormalizedQuestion[] = [
    noul('q'),
    ...[2, 3, 10, 255].map((n) => choice(...Array.from({ length: n }, (_, i) => `o${i}`))),
  ];
  const scored = await engine.score(
    state,
    [...questions, { ...choice('x', 'y', 'z'), kind: 'score' }],
    signal,
  );
  for (const distribution of scored) {
    assert.ok(Math.abs(distribution.reduce((sum, p) => sum + p, 0) - 1) < 1e-12);
    assert.ok(distribution.every((p) => p >= 0 && p <= 1));
  }
  assert.equal(engine.name, 'weigher');
});

test('all steps together ask for the account that asked', async () => {
  const engine = engineOf(biased);
  await withSteps(engine, allSteps).score(state, [noul('q'), choice('a', 'b')], signal, 'acme');
  assert.deepEqual(engine.accounts, ['acme', 'acme']);
});
