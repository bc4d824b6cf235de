import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault, type FaultCode } from '../../kernel/faults.ts';
import { decide } from './decide.ts';
import type { DecisionEngine, Image, State, Distribution, NormalizedQuestion } from './engine.ts';

const { signal } = new AbortController();
const limits = { inputTokensMax: 100 };
const image: Image = { format: 'png', bytes: Buffer.alloc(0), width: 64, height: 32, tokens: 40 };
const stateOf = (text: string, images: readonly Image[] = []): State => ({ entry: text, text, images });

function questionOf(options: number, text = 'q'): NormalizedQuestion {
  const names = Array.from({ length: options }, (_, index) => ({ name: String(index), description: '' }));
  return { kind: 'choice', question: text, options: names };
}

interface Asked {
  counted: readonly NormalizedQuestion[][];
  scored: readonly NormalizedQuestion[][];
}

function engineOf(
  answer: (questions: readonly NormalizedQuestion[]) => readonly Distribution[],
  tokens = 10,
) {
  const asked = {
    counted: [] as NormalizedQuestion[][],
    scored: [] as NormalizedQuestion[][],
  } satisfies Asked;
  const engine: DecisionEngine = {
    name: 'test',
    vision: true,
    health: () => 'ok',
    countTokens: (_state, questions) => {
      asked.counted.push([...questions]);
      return Promise.resolve(tokens);
    },
    score: (_state, questions) => {
      asked.scored.push([...questions]);
      return Promise.resolve(answer(questions));
    },
    close: () => Promise.resolve(),
  };
  return { engine, asked };
}

const even = (questions: readonly NormalizedQuestion[]) =>
  questions.map(({ options }) => options.map(() => 1 / options.length));

async function faultOf(promise: Promise<unknown>, code: FaultCode): Promise<Fault> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof Fault);
    assert.equal(error.code, code);
    return error;
  }
  return assert.fail('nothing was thrown');
}

suite('decide', () => {
  test('asks only what is open and puts every answer in its place', async () => {
    const { engine, asked } = engineOf((questions) =>
      questions.map(({ options }, index) => options.map((_, at) => Number(at === index))),
    );
    const questions = [questionOf(1), questionOf(2, 'a'), questionOf(1), questionOf(3, 'b')];
    const { distributions, inputTokens } = await decide(engine, limits, stateOf('x'), questions, signal);
    assert.deepEqual(distributions, [[1], [1, 0], [1], [0, 1, 0]]);
    assert.equal(inputTokens, 10);
    const open = [questions[1], questions[3]];
    assert.deepEqual([asked.counted, asked.scored], [[open], [open]]);
  });

  test('a request without an open question asks nothing and costs nothing', async () => {
    const { engine, asked } = engineOf(() => assert.fail('asked'), 1_000);
    const decision = await decide(
      engine,
      limits,
      stateOf('x', [image]),
      [questionOf(1), questionOf(1)],
      signal,
    );
    assert.deepEqual(decision, { distributions: [[1], [1]], engine: 'test', inputTokens: 0 });
    assert.deepEqual(asked.counted, []);
  });

  test('images are refused where the engine has no eyes', async () => {
    const { engine } = engineOf(even);
    const blind = { ...engine, vision: false };
    const fault = await faultOf(
      decide(blind, limits, stateOf('', [image]), [questionOf(2)], signal, { param: 'input' }),
      'images_unsupported',
    );
    assert.equal(fault.param, 'input');
  });

  test('the limit is exclusive, names both kinds of tokens, and nothing is scored beyond it', async () => {
    const under = await decide(engineOf(even, 99).engine, limits, stateOf(''), [questionOf(2)], signal);
    assert.equal(under.inputTokens, 99);
    const { engine, asked } = engineOf(even, 100);
    const text = await faultOf(
      decide(engine, limits, stateOf(''), [questionOf(2)], signal),
      'context_length_exceeded',
    );
    assert.equal(text.message, "Input length (100) exceeds or equals model's maximum context length (100)");
    assert.equal(text.param, 'state');
    const seeing = await decide(
      engineOf(even, 19).engine,
      limits,
      stateOf('', [image, image]),
      [questionOf(2)],
      signal,
    );
    assert.equal(seeing.inputTokens, 99);
    const both = await faultOf(
      decide(engineOf(even, 20).engine, limits, stateOf('', [image, image]), [questionOf(2)], signal),
      'context_length_exceeded',
    );
    assert.equal(
      both.message,
      'Total input tokens (20 text + 80 vision = 100) exceeds maximum context length (100)',
    );
    assert.deepEqual(asked.scored, []);
  });

  test('what is no distribution is 502 and its cause stays private', async () => {
    const wrong: readonly Distribution[][] = [
      [],
      [
        [0.5, 0.5],
        [0.5, 0.5],
      ],
      [[]],
      [[1]],
      [[0.5, 0.4]],
      [[1.5, -0.5]],
      [[Number.NaN, 1]],
      [[Infinity, 0]],
      [[0.5, 0.5, 0]],
      [[0.5, 0.5 + 2e-9]],
    ];
    for (const answer of wrong) {
      const fault = await faultOf(
        decide(engineOf(() => answer).engine, limits, stateOf(''), [questionOf(2)], signal),
        'bad_gateway',
      );
      assert.equal(fault.message, 'The decision engine gave an unusable answer.');
      assert.ok(fault.cause instanceof Error);
    }
    const close = await decide(
      engineOf(() => [[0.5, 0.5 + 1e-10]]).engine,
      limits,
      stateOf(''),
      [questionOf(2)],
      signal,
    );
    assert.equal(close.distributions.length, 1);
  });

  test('what the engine throws goes through', async () => {
    const down = new Fault('service_unavailable');
    const { engine } = engineOf(() => {
      throw down;
    });
    await assert.rejects(decide(engine, limits, stateOf(''), [questionOf(2)], signal), down);
  });
});
