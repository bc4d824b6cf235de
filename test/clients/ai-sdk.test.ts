import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTypeSafeAi } from '@ai-sdk/typesafe-ai';
import { APICallError, experimental_decide as decide, RetryError, type Experimental_DecisionModel } from 'ai';
import { createManualClock } from '../support/clock.ts';
import { startServer, type TestServer } from '../support/server.ts';
import {
  assertChoice,
  assertScore,
  assertShare,
  createFailingEngine,
  createRisingEngine,
  createSilentEngine,
  decider,
  deniedKey,
  failureOf,
  latest,
  manyOptions,
  messages,
  narrowConfig,
  onlyRequest,
  pixel,
  passAfterRefusal,
  rejection,
  statusesOf,
} from './support.ts';

const state = 'I was charged twice for order 4411, please fix this today.';
const refund = {
  refund: { type: 'boolean', instructions: 'Is the customer asking for money back?' },
} as const;

function connect(
  { url, key }: TestServer,
  { model = latest, apiKey = key } = {},
): Experimental_DecisionModel {
  const provider = createTypeSafeAi({ baseURL: `${url}/v1`, apiKey });
  // Both packages are what npm gives today; the provider is typed against an older `@ai-sdk/provider`.
  return provider.evaluationModel(model) as unknown as Experimental_DecisionModel;
}

/** The failure of a call, which has to be the client's own kind of error. */
async function callFailure(promise: PromiseLike<unknown>): Promise<APICallError> {
  const error = await failureOf(promise);
  if (APICallError.isInstance(error)) return error;
  throw new Error('expected an APICallError', { cause: error });
}

test('the AI SDK gets known numbers back as they are', async (t) => {
  const server = await startServer(t, { decisions: createRisingEngine() });
  const result = await decide({
    model: connect(server),
    state: { message: state },
    questions: {
      ...refund,
      topic: {
        type: 'choice',
        instructions: 'About what?',
        criteria: { billing: 'charges', technical: null, other: null },
      },
      anger: { type: 'score', instructions: 'How angry?', criteria: ['calm', 'annoyed', 'furious'] },
    },
  });
  const [first, second, third] = [1 / 6, 2 / 6, 3 / 6];
  assert.deepEqual(result.answers, {
    refund: { type: 'boolean', probability: 1 / 3 },
    topic: {
      type: 'choice',
      choice: 'other',
      probabilities: { billing: first, technical: second, other: third },
    },
    anger: {
      type: 'score',
      score: second + 2 * third,
      probabilities: { '0': first, '1': second, '2': third },
    },
  });
  assert.deepEqual(result.providerMetadata, { typesafe: { confidence: { topic: 0.25, anger: 0 } } });
  assert.deepEqual(result.warnings, []);
});

test('the AI SDK may ask a boolean in every way that its types allow', async (t) => {
  const server = await startServer(t);
  const { answers } = await decide({
    model: connect(server),
    state,
    questions: {
      text: { type: 'boolean', instructions: 'Refund?' },
      object: { type: 'boolean', instructions: { ask: 'Refund?' }, criteria: null },
      list: { type: 'boolean', instructions: ['Refund?', { or: 'credit' }], criteria: {} },
      defined: { type: 'boolean', criteria: { true: 'wants money back', false: ['anything', 'else'] } },
      half: { type: 'boolean', instructions: null, criteria: { true: { means: 'money back' }, false: null } },
    },
  });
  for (const answer of Object.values(answers)) assertShare(answer.probability);
});

test("the AI SDK's own check of answers passes for every choice and score that it may ask", async (t) => {
  const server = await startServer(t);
  const many = manyOptions(255);
  const { answers, providerMetadata } = await decide({
    model: connect(server),
    state,
    questions: {
      described: {
        type: 'choice',
        instructions: 'Topic?',
        criteria: { billing: 'charges', bugs: { area: 'app' }, sales: ['new', 'renewal'], other: null },
      },
      undescribed: { type: 'choice', criteria: { '10': null, '2': null, constructor: null } },
      one: { type: 'choice', instructions: null, criteria: { only: null } },
      many: { type: 'choice', instructions: 'Which?', criteria: many },
      levels: {
        type: 'score',
        instructions: ['How angry?'],
        criteria: ['calm', { is: 'angry' }, ['mad'], null],
      },
      bare: { type: 'score', criteria: [null, null] },
      single: { type: 'score', instructions: 'How angry?', criteria: ['calm'] },
      ten: { type: 'score', instructions: 'How angry?', criteria: Array<string>(10).fill('same') },
    },
  });
  assertChoice(answers.described, ['billing', 'bugs', 'sales', 'other']);
  assertChoice(answers.undescribed, ['10', '2', 'constructor']);
  assert.deepEqual(answers.one, { type: 'choice', choice: 'only', probabilities: { only: 1 } });
  assertChoice(answers.many, Object.keys(many));
  assertScore(answers.levels, 4);
  assertScore(answers.bare, 2);
  assert.deepEqual(answers.single, { type: 'score', score: 0, probabilities: { '0': 1 } });
  assertScore(answers.ten, 10);
  const confidence = providerMetadata?.['typesafe']?.['confidence'] as Readonly<Record<string, number>>;
  assert.deepEqual(Object.keys(confidence), Object.keys(answers));
  for (const value of Object.values(confidence)) assertShare(value);
});

test('the AI SDK asks 128 questions in one request', async (t) => {
  const server = await startServer(t);
  const names = Array.from({ length: 128 }, (_, index) => `q${index}`);
  const questions = Object.fromEntries(names.map((name) => [name, refund.refund]));
  const { answers, usage } = await decide({ model: connect(server), state, questions });
  assert.deepEqual(Object.keys(answers), names);
  assert.equal(usage.outputTokens, 128);
  onlyRequest(server);
});

test('the AI SDK may send text, data and parts as the state', async (t) => {
  const engine = createRisingEngine();
  const server = await startServer(t, { decisions: engine });
  const model = connect(server);
  await decide({ model, state, questions: refund });
  await decide({ model, state: { order: 4411, paid: [true, null] }, questions: refund });
  await decide({
    model,
    state: [
      { type: 'text', text: 'See the order.' },
      { type: 'json', value: { order: 4411 } },
    ],
    questions: refund,
  });
  // The client wraps every state into parts before it sends it.
  assert.deepEqual(
    engine.seen.map(({ entry }) => entry),
    [
      [{ type: 'text', text: state }],
      [{ type: 'json', value: { order: 4411, paid: [true, null] } }],
      [
        { type: 'text', text: 'See the order.' },
        { type: 'json', value: { order: 4411 } },
      ],
    ],
  );
});

test('the AI SDK may send a picture, which arrives as data because its provider does not say image', async (t) => {
  const engine = createRisingEngine();
  const server = await startServer(t, { decisions: engine });
  const data = pixel.slice(pixel.indexOf(',') + 1);
  const file = { type: 'file', mediaType: 'image/png', data } as const;
  const { answers } = await decide({ model: connect(server), state: [file], questions: refund });
  assertShare(answers.refund.probability);
  assert.equal(engine.seen[0]?.images.length, 0);
});

test('the AI SDK reads the model that it named, the usage and the request id', async (t) => {
  const server = await startServer(t);
  for (const model of [latest, decider, 'pplx-decider-v1-27b']) {
    const { response, usage } = await decide({ model: connect(server, { model }), state, questions: refund });
    assert.equal(response.modelId, model);
    assert.ok((usage.inputTokens ?? 0) > 0);
    assert.equal(usage.totalTokens, (usage.inputTokens ?? 0) + 1);
    const id = response.headers?.['x-request-id'];
    assert.ok(server.log.some((line) => line['id'] === id));
    assert.equal(response.headers?.['x-typesafe-request-id'], id);
  }
});

test('the AI SDK throws an APICallError with our message and does not repeat a refused request', async (t) => {
  const server = await startServer(t);
  const model = connect(server, { model: 'gpt-6-luna' });
  const error = await callFailure(decide({ model, state, questions: refund }));
  assert.equal(error.message, messages.model);
  assert.equal(error.statusCode, 400);
  assert.equal(error.isRetryable, false);
  assert.equal(error.url, `${server.url}/v1/systemone`);
  assert.equal(error.responseHeaders?.['x-typesafe-request-id'], onlyRequest(server).id);
  // What its schema keeps of the body; without the parse there would be no data at all.
  assert.deepEqual(error.data, {
    error: { message: messages.model },
    detail: { message: messages.model, error_type: 'unknown' },
  });
});

test('the AI SDK throws an APICallError for what it does not check itself', async (t) => {
  const server = await startServer(t);
  const model = connect(server);
  const blank = { blank: { type: 'boolean', instructions: ' ' } } as const;
  assert.equal((await callFailure(decide({ model, state, questions: blank }))).message, messages.blankNoul);
  const unnamed = { q: { type: 'choice', criteria: { '': null } } } as const;
  const names = await callFailure(decide({ model, state, questions: unnamed }));
  assert.equal(names.message, 'Option names must not be empty');
  const many = Object.fromEntries(Array.from({ length: 129 }, (_, index) => [`q${index}`, refund.refund]));
  const questions = await callFailure(decide({ model, state, questions: many }));
  assert.equal(questions.message, 'questions must be an object with 1 to 128 entries');
  assert.deepEqual(statusesOf(server), [400, 400, 400]);
});

test('the AI SDK throws an APICallError for an unknown key', async (t) => {
  const server = await startServer(t);
  const model = connect(server, { apiKey: 'not-a-key' });
  const error = await callFailure(decide({ model, state, questions: refund }));
  assert.deepEqual([error.statusCode, error.message, error.isRetryable], [401, messages.key, false]);
  onlyRequest(server);
});

test('the AI SDK throws an APICallError for a key that may not decide', async (t) => {
  const server = await startServer(t, { config: narrowConfig });
  const model = connect(server, { apiKey: deniedKey });
  const error = await callFailure(decide({ model, state, questions: refund }));
  assert.deepEqual([error.statusCode, error.message], [403, messages.denied]);
});

test('the AI SDK can tell an input that is too long', async (t) => {
  const server = await startServer(t, { env: { NESTOR_DECISIONS_MAX_INPUT_TOKENS: '100' } });
  const long = 'charged twice '.repeat(200);
  const error = await callFailure(decide({ model: connect(server), state: long, questions: refund }));
  assert.match(
    error.message,
    /^Input length \(\d+\) exceeds or equals model's maximum context length \(100\)$/,
  );
  assert.match(error.responseBody ?? '', /"error_type":"tokens_exceeded"/);
  onlyRequest(server);
});

test('the AI SDK reads the refusal of a body that is too large', async (t) => {
  const server = await startServer(t);
  const large = 'x'.repeat(33_554_432);
  const error = await callFailure(decide({ model: connect(server), state: large, questions: refund }));
  assert.deepEqual([error.statusCode, error.message, error.isRetryable], [413, messages.bytes, false]);
  onlyRequest(server);
});

test('the AI SDK reads how long a refused request has to wait', async (t) => {
  const server = await startServer(t, { config: narrowConfig, clock: createManualClock() });
  const call = { model: connect(server), state, questions: refund, maxRetries: 0 };
  await decide(call);
  const error = await callFailure(decide(call));
  assert.deepEqual([error.statusCode, error.message, error.isRetryable], [429, messages.rate, true]);
  assert.equal(error.responseHeaders?.['retry-after-ms'], '1000');
});

test('the AI SDK gets its answer after the wait that it was told', async (t) => {
  const clock = createManualClock();
  const server = await startServer(t, { config: narrowConfig, clock });
  const call = { model: connect(server), state, questions: refund };
  await decide(call);
  const second = decide(call);
  await passAfterRefusal(server, clock);
  assertShare((await second).answers.refund.probability);
  assert.deepEqual(statusesOf(server), [200, 429, 200]);
});

test('the AI SDK repeats a request that found no backend until its repeats are used up', async (t) => {
  const passing = await startServer(t, { decisions: createFailingEngine('service_unavailable', 1) });
  const { answers } = await decide({ model: connect(passing), state, questions: refund });
  assert.equal(answers.refund.probability, 1 / 3);
  assert.deepEqual(statusesOf(passing), [503, 200]);

  const down = await startServer(t, { decisions: createFailingEngine('service_unavailable') });
  const error = await rejection(decide({ model: connect(down), state, questions: refund }), RetryError);
  assert.equal(APICallError.isInstance(error.lastError) && error.lastError.statusCode, 503);
  assert.deepEqual(statusesOf(down), [503, 503, 503]);
});

test('the AI SDK ends the work on the server when its caller aborts', async (t) => {
  const engine = createSilentEngine();
  const server = await startServer(t, { decisions: engine });
  const controller = new AbortController();
  const call = decide({
    model: connect(server),
    state,
    questions: refund,
    abortSignal: controller.signal,
  });
  const failed = failureOf(call);
  await engine.started;
  controller.abort();
  assert.equal(((await failed) as Error).name, 'AbortError');
  await engine.aborted;
});
