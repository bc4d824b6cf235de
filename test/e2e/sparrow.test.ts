import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { startServer } from '../support/server.ts';
import { copySparrow, skipsSparrow, sparrow } from '../support/weights.ts';

type Answers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const state = 'User: I was charged twice for order 1182, I want my money back';
const tools = {
  flights: 'search and book flights',
  refunds: 'refund a payment',
  weather: 'forecasts for a city',
  calendar: 'create or move meetings',
};
const upset = { type: 'noul', instructions: 'Is the user upset?' };
const urgency = {
  type: 'score',
  instructions: 'How urgent is this?',
  criteria: ['can wait', 'today', 'now'],
};
const toolOf = (criteria: object) => ({
  type: 'choice',
  instructions: 'Which tool fits this request?',
  criteria,
});

async function open(t: TestContext, path = sparrow) {
  const server = await startServer(t, { config: JSON.stringify({ decisions: { path } }) });
  return async (asked: string, questions: object) => {
    const response = await server.post('/v1/decisions', {
      model: 'svc-decider-v1-27b',
      state: asked,
      questions,
    });
    assert.equal(response.status, 200, await response.clone().text());
    assert.equal(response.headers.get('x-nestor-engine'), 'onnx');
    const { answers } = (await response.json()) as { readonly answers: Answers };
    return { answers, windows: response.headers.get('x-nestor-state-windows') };
  };
}

function isNear(found: unknown, expected: number): void {
  assert.ok(Math.abs(Number(found) - expected) < 1e-3, `${String(found)} is not ${expected}`);
}

suite('a small decision model that was trained, through a whole server', { skip: skipsSparrow }, () => {
  test('answers the example of its authors as their own Python does, in all three kinds', async (t) => {
    const ask = await open(t, await copySparrow(t));
    const { answers } = await ask(state, { tool: toolOf(tools), upset, urgency });
    assert.equal(answers['tool']?.['choice'], 'refunds');
    const chosen = answers['tool']?.['probabilities'] as Readonly<Record<string, number>>;
    for (const [name, probability] of [
      ['flights', 0.0056],
      ['refunds', 0.9795],
      ['weather', 0.004],
      ['calendar', 0.011],
    ] as const)
      isNear(chosen[name], probability);
    isNear(answers['upset']?.['noul'], 0.3803);
    isNear(answers['urgency']?.['score'], 1.2199);
  });

  test('is surer of choices and less sure of nouls than its authors have it, and of scores as sure', async (t) => {
    const ask = await open(t);
    const { answers } = await ask(state, { tool: toolOf(tools), upset, urgency });
    const chosen = answers['tool']?.['probabilities'] as Readonly<Record<string, number>>;
    assert.ok((chosen['refunds'] ?? 0) > 0.99, String(chosen['refunds']));
    const toOdds = (p: number) => Math.log(p / (1 - p));
    const upsetOdds = toOdds(Number(answers['upset']?.['noul']));
    assert.ok(Math.abs(upsetOdds / toOdds(0.3803) - 0.939 / 1.6) < 1e-3, String(upsetOdds));
    isNear(answers['urgency']?.['score'], 1.2199);
  });

  test('the same to the last bit in another order of options, alone, and beside others at once', async (t) => {
    const ask = await open(t);
    const whole = await ask(state, { tool: toolOf(tools), upset, urgency });
    const turned = Object.fromEntries(Object.entries(tools).toReversed());
    const [reversed, ...others] = await Promise.all([
      ask(state, { tool: toolOf(turned) }),
      ...Array.from({ length: 24 }, (_, index) => ask(`${state} ${index % 2}`, { upset })),
      ask(state, { tool: toolOf(tools) }),
      ask(state, { upset }),
      ask(state, { urgency }),
    ]);
    assert.deepEqual(reversed?.answers['tool'], whole.answers['tool']);
    const [tool, feeling, speed] = others.slice(-3);
    assert.deepEqual({ ...tool?.answers, ...feeling?.answers, ...speed?.answers }, whole.answers);
    for (const [index, { answers }] of others.slice(0, 24).entries())
      assert.deepEqual(answers, others[index % 2]?.answers);
  });

  test('reads a long state by its sentences, tells how it was read, and finds the one that tells', async (t) => {
    const ask = await open(t);
    const once = await ask(state, { tool: toolOf(tools) });
    assert.equal(once.windows, null);
    const garden = 'The roses in the garden were wet after the rain. ';
    for (const [before, after] of [
      [0, 240],
      [120, 120],
      [240, 0],
    ] as const) {
      const long = `${garden.repeat(before)}${state}. ${garden.repeat(after)}`;
      const { answers, windows } = await ask(long, { tool: toolOf(tools) });
      assert.equal(windows, '16 of 241');
      assert.equal(answers['tool']?.['choice'], 'refunds', `${before} sentences before`);
    }
  });

  test('answers for as many options as a question may have, in any order alike', async (t) => {
    const ask = await open(t);
    const names = Array.from(
      { length: 255 },
      (_, index) => `${Object.keys(tools)[index % 4]} of day ${index}`,
    );
    const told = async (sent: readonly string[]) => {
      const criteria = Object.fromEntries(sent.map((name) => [name, null]));
      const { answers } = await ask(state, { place: toolOf(criteria) });
      return answers['place']?.['probabilities'] as Readonly<Record<string, number>>;
    };
    const probabilities = await told(names);
    assert.equal(Object.keys(probabilities).length, 255);
    isNear(
      Object.values(probabilities).reduce((sum, one) => sum + one, 0),
      1,
    );
    assert.deepEqual(await told(names.toReversed()), probabilities);
    const shares = Object.keys(tools).map((tool) =>
      names.reduce((sum, name) => sum + (name.startsWith(tool) ? (probabilities[name] ?? 0) : 0), 0),
    );
    assert.equal(shares.indexOf(Math.max(...shares)), Object.keys(tools).indexOf('refunds'));
  });
});
