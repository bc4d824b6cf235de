import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Decision } from 'openai/resources/decisions';
import { startServer } from '../support/server.ts';
import { choicesOf, connect, input, refund, simple, type Question } from './openai.fixture.ts';
import {
  assertDistribution,
  assertShare,
  createRisingEngine,
  decider,
  manyOptions,
  onlyRequest,
  pixel,
} from './support.ts';

/** The answers, which have to be of the kinds of the questions and in their order. */
function answersTo<const Kinds extends readonly Question['type'][]>({ answers }: Decision, ...kinds: Kinds) {
  assert.deepEqual(
    answers.map(({ type }) => type),
    kinds,
  );
  type AnswerOf<Kind> = Extract<Decision['answers'][number], { type: Kind }>;
  return answers as { [Index in keyof Kinds]: AnswerOf<Kinds[Index]> };
}

test('the OpenAI client gets known numbers back as they are', async (t) => {
  const server = await startServer(t, { decisions: createRisingEngine() });
  const decision = await connect(server).decisions.create({
    model: decider,
    input,
    questions: [
      refund,
      {
        type: 'choice',
        name: 'topic',
        instructions: 'About what?',
        choices: [{ value: 'billing', description: 'charges' }, ...choicesOf(['technical', 'other'])],
      },
      {
        type: 'score',
        instructions: 'How angry?',
        levels: [{ label: 'calm' }, { label: 'annoyed', description: 'short' }, { label: 'furious' }],
      },
    ],
  });
  const [first, second, third] = [1 / 6, 2 / 6, 3 / 6];
  assert.deepEqual(decision, {
    model: decider,
    answers: [
      { type: 'predicate', name: 'refund', probability: 1 / 3 },
      {
        type: 'choice',
        name: 'topic',
        choice: 'other',
        confidence: 0.25,
        probabilities: [
          { value: 'billing', probability: first },
          { value: 'technical', probability: second },
          { value: 'other', probability: third },
        ],
      },
      {
        type: 'score',
        name: null,
        score: second + 2 * third,
        confidence: 0,
        probabilities: [
          { label: 'calm', value: 0, probability: first },
          { label: 'annoyed', value: 1, probability: second },
          { label: 'furious', value: 2, probability: third },
        ],
      },
    ],
    usage: {
      input_tokens: input.length,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 3,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input.length + 3,
    },
  });
});

test('the OpenAI client reads booleans as booleans', async (t) => {
  const server = await startServer(t);
  const values = [true, 'true', false, 'false', 'maybe'];
  const question: Question = { type: 'choice', instructions: 'Refund?', choices: choicesOf(values) };
  const decision = await connect(server).decisions.create({ ...simple, questions: [question] });
  const [answer] = answersTo(decision, 'choice');
  assert.deepEqual(
    answer.probabilities.map(({ value }) => value),
    values,
  );
  const likeliest = answer.probabilities.reduce((best, next) =>
    next.probability > best.probability ? next : best,
  );
  const chosen = answer.probabilities.find(({ value }) => value === answer.choice);
  assert.equal(chosen?.probability, likeliest.probability);
  assertDistribution(
    Object.fromEntries(answer.probabilities.map(({ probability }, index) => [index, probability])),
    ['0', '1', '2', '3', '4'],
  );
});

test('the OpenAI client gets a boolean as the choice when a boolean is the likeliest', async (t) => {
  const server = await startServer(t, { decisions: createRisingEngine() });
  const question: Question = {
    type: 'choice',
    instructions: 'Refund?',
    choices: choicesOf(['true', 'false', false, true]),
  };
  const decision = await connect(server).decisions.create({ ...simple, questions: [question] });
  assert.equal(answersTo(decision, 'choice')[0].choice, true);
});

test('the OpenAI client may offer 255 choices and 1 to 10 levels', async (t) => {
  const server = await startServer(t);
  const names = Object.keys(manyOptions(255));
  const levels = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ label: `level ${index}` }));
  const decision = await connect(server).decisions.create({
    ...simple,
    questions: [
      { type: 'choice', instructions: 'Which?', choices: choicesOf(names) },
      { type: 'score', instructions: 'How angry?', levels: levels(1) },
      { type: 'score', instructions: 'How angry?', levels: levels(10) },
    ],
  });
  const [many, one, ten] = answersTo(decision, 'choice', 'score', 'score');
  assertDistribution(
    Object.fromEntries(many.probabilities.map(({ value, probability }) => [value, probability])),
    names,
  );
  assert.deepEqual(one, {
    type: 'score',
    name: null,
    score: 0,
    confidence: 1,
    probabilities: [{ label: 'level 0', value: 0, probability: 1 }],
  });
  const mean = ten.probabilities.reduce((sum, { value, probability }) => sum + value * probability, 0);
  assert.ok(Math.abs(mean - ten.score) <= 1e-9);
  assertShare(ten.confidence);
});

test('the OpenAI client may give two questions one name, and answers keep the order', async (t) => {
  const server = await startServer(t);
  const questions = ['a', 'b', 'a'].map((name): Question => ({ ...refund, name }));
  const { answers } = await connect(server).decisions.create({ ...simple, questions });
  assert.deepEqual(
    answers.map(({ name }) => name),
    ['a', 'b', 'a'],
  );
});

test('the OpenAI client may send messages of every role and part', async (t) => {
  const engine = createRisingEngine();
  const server = await startServer(t, { decisions: engine });
  const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } } as const;
  const decision = await connect(server).decisions.create({
    ...simple,
    input: [
      { role: 'system', content: 'system text' },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'developer text' }] },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'user text', ...breakpoint },
          { type: 'input_image', image_url: pixel, detail: 'low', ...breakpoint },
          { type: 'input_image', image_url: pixel, detail: null },
          { type: 'input_json', data: { order: 4411 } },
          { type: 'input_json', data: [{ order: 4412 }] },
        ],
      },
      { role: 'assistant', phase: 'commentary', content: 'assistant text' },
      {
        role: 'assistant',
        phase: null,
        content: [
          { type: 'output_text', text: 'output text' },
          { type: 'refusal', refusal: 'refusal text' },
        ],
      },
    ],
  });
  const [judged] = engine.seen;
  assert.equal(judged?.images.length, 2);
  const texts = ['system', 'developer', 'user', 'assistant', 'output', 'refusal'].map(
    (word) => `${word} text`,
  );
  for (const text of [...texts, '4411', '4412']) assert.ok(judged?.text.includes(text), text);
  // One vision token for each image of one pixel.
  assert.equal(decision.usage.input_tokens, (judged?.text.length ?? 0) + 2);
});

test('the OpenAI client may send tool calls and their outputs', async (t) => {
  const engine = createRisingEngine();
  const server = await startServer(t, { decisions: engine });
  const state = { id: null, status: 'completed' } as const;
  await connect(server).decisions.create({
    ...simple,
    input: [
      { role: 'user', content: 'Where is order 4411?' },
      {
        type: 'function_call',
        call_id: 'c1',
        name: 'find_order',
        arguments: '{"id":4411}',
        namespace: 'shop',
      },
      { type: 'custom_tool_call', call_id: 'c2', name: 'run', input: 'select 1', namespace: null, ...state },
      { type: 'function_call_output', call_id: 'c1', output: 'lost in the post', ...state },
      {
        type: 'custom_tool_call_output',
        call_id: 'c2',
        output: [
          { type: 'input_text', text: 'one row' },
          { type: 'input_image', image_url: pixel },
        ],
      },
    ],
  });
  const [judged] = engine.seen;
  for (const text of ['find_order', '{"id":4411}', 'select 1', 'lost in the post', 'one row']) {
    assert.ok(judged?.text.includes(text), text);
  }
  assert.equal(judged?.images.length, 1);
});

test('the OpenAI client may write instructions as parts', async (t) => {
  const server = await startServer(t);
  const instructions: Question['instructions'] = [
    { type: 'input_text', text: 'The customer wants' },
    { type: 'input_json', data: { any: ['refund', 'credit'] } },
  ];
  const decision = await connect(server).decisions.create({
    ...simple,
    questions: [
      { type: 'predicate', instructions },
      { type: 'choice', instructions, choices: choicesOf([true, false]) },
      { type: 'score', instructions, levels: [{ label: 'no' }, { label: 'yes' }] },
    ],
  });
  const [predicate] = answersTo(decision, 'predicate', 'choice', 'score');
  assertShare(predicate.probability);
});

test('the OpenAI client may send its cache and safety fields', async (t) => {
  const server = await startServer(t);
  const { decisions } = connect(server);
  const given = {
    prompt_cache_key: 'k',
    prompt_cache_options: { mode: 'explicit', ttl: '30m' },
    safety_identifier: 'u',
  } as const;
  const empty = { prompt_cache_key: null, prompt_cache_options: null, safety_identifier: null };
  for (const fields of [given, empty]) {
    const decision = await decisions.create({ ...simple, ...fields });
    assert.equal(decision.usage.input_tokens_details.cached_tokens, 0);
  }
});

test('the OpenAI client knows the request by the id that the server logs', async (t) => {
  const server = await startServer(t);
  const { data, request_id } = await connect(server).decisions.create(simple).withResponse();
  assert.equal(request_id, onlyRequest(server).id);
  assert.equal(Reflect.get(data, '_request_id'), request_id);
});

test('the OpenAI client lists models, page by page', async (t) => {
  const server = await startServer(t);
  const { models } = connect(server);
  const page = await models.list();
  assert.equal(page.object, 'list');
  assert.equal(page.hasNextPage(), false);
  const ids: string[] = [];
  for await (const { id, object, owned_by, created } of models.list()) {
    ids.push(id);
    assert.deepEqual([object, typeof owned_by, typeof created], ['model', 'string', 'number']);
  }
  assert.deepEqual(ids, page.data.map(({ id }) => id).sort());
});
