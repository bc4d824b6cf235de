import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  choice,
  InternalServerError,
  noul,
  PermissionDeniedError,
  RateLimitError,
  score,
  TypeSafeClient,
  type Questions,
} from '@typesafe-ai/sdk';
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
  latest,
  manyOptions,
  messages,
  narrowConfig,
  onlyRequest,
  passAfterRefusal,
  rejection,
  statusesOf,
} from './support.ts';

const refund = { refund: noul('Is the customer asking for money back?') };
const state = 'I was charged twice for order 4411, please fix this today.';

function connect({ url, key }: TestServer, apiKey = key): TypeSafeClient {
  return new TypeSafeClient({ baseURL: url, apiKey });
}

/** The body of an error of System One: contract 3.1, shape S. */
const systemOneError = (code: number, type: string, message: string, param: string | null, kind: string) => ({
  error: { message, type, code, param },
  detail: { message, error_type: kind },
});

test('the TypeSafe client gets known numbers back as they are', async (t) => {
  const server = await startServer(t, { decisions: createRisingEngine() });
  const result = await connect(server).systemOne({
    state,
    questions: {
      ...refund,
      topic: choice('About what?', { billing: 'charges', technical: null, other: null }),
      anger: score('How angry?', ['calm', 'annoyed', 'furious']),
    },
  });
  const [first, second, third] = [1 / 6, 2 / 6, 3 / 6];
  assert.deepEqual(result.answers, {
    refund: { type: 'noul', noul: 1 / 3 },
    topic: {
      type: 'choice',
      choice: 'other',
      confidence: 0.25,
      probabilities: { billing: first, technical: second, other: third },
    },
    anger: {
      type: 'score',
      score: second + 2 * third,
      confidence: 0,
      legend: { '0': 'calm', '1': 'annoyed', '2': 'furious' },
      probabilities: { '0': first, '1': second, '2': third },
    },
  });
  assert.deepEqual(result.usage, { input_tokens: state.length, output_tokens: 3 });
});

test('the TypeSafe client may ask a noul in every way that its types allow', async (t) => {
  const server = await startServer(t);
  const questions = {
    text: noul('Refund?'),
    object: noul({ ask: 'Refund?', of: ['customer'] }),
    list: noul(['Refund?', { or: 'credit' }]),
    defined: noul(null, { true: 'wants money back', false: 'wants something else' }),
    onlyTrue: noul(undefined, { true: { means: 'money back' } }),
    onlyFalse: noul(null, { false: ['anything else'], true: null }),
    withoutCriteria: { type: 'noul', instructions: 'Refund?', criteria: null },
    withoutInstructions: { type: 'noul', criteria: { true: 'wants money back' } },
  } as const satisfies Questions;
  const { answers } = await connect(server).systemOne({ state, questions });
  assert.deepEqual(Object.keys(answers), Object.keys(questions));
  for (const answer of Object.values(answers)) {
    assert.deepEqual(Object.keys(answer), ['type', 'noul']);
    assert.equal(answer.type, 'noul');
    assertShare(answer.noul);
  }
});

test('the TypeSafe client may offer from 1 to 255 options, described or not', async (t) => {
  const server = await startServer(t);
  const many = manyOptions(255);
  const { answers, usage } = await connect(server).systemOne({
    state,
    questions: {
      described: choice('Topic?', { billing: 'charges', bugs: { area: 'app' }, sales: ['new', 'renewal'] }),
      undescribed: choice(null, { yes: null, no: null, unclear: null }),
      withoutInstructions: { type: 'choice', criteria: { left: null, right: 'the other side' } },
      one: choice('Which?', { only: null }),
      many: choice({ ask: 'Which?' }, many),
    },
  });
  assertChoice(answers.described, ['billing', 'bugs', 'sales']);
  assertChoice(answers.undescribed, ['yes', 'no', 'unclear']);
  assertChoice(answers.withoutInstructions, ['left', 'right']);
  assert.deepEqual(answers.one, {
    type: 'choice',
    choice: 'only',
    confidence: 1,
    probabilities: { only: 1 },
  });
  assertChoice(answers.many, Object.keys(many));
  for (const answer of Object.values(answers)) assertShare(answer.confidence);
  assert.equal(usage.output_tokens, 5);
});

test('the TypeSafe client may use from 2 to 10 levels, and null ones come back in the legend', async (t) => {
  const server = await startServer(t);
  const { answers } = await connect(server).systemOne({
    state,
    questions: {
      two: score('Angry?', ['calm', 'furious']),
      undescribed: score(null, [null, null, null]),
      mixed: { type: 'score', criteria: ['low', null, { means: 'high' }, ['very', 'high']] },
      ten: score(['How angry, from 0 to 9?'], ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']),
    },
  });
  assertScore(answers.two, 2);
  assertScore(answers.undescribed, 3);
  assertScore(answers.mixed, 4);
  assertScore(answers.ten, 10);
  assert.deepEqual(answers.undescribed.legend, { '0': null, '1': null, '2': null });
  assert.deepEqual(answers.mixed.legend, {
    '0': 'low',
    '1': null,
    '2': { means: 'high' },
    '3': ['very', 'high'],
  });
  for (const answer of Object.values(answers)) assertShare(answer.confidence);
});

test('the TypeSafe client may send every state that its types allow', async (t) => {
  const engine = createRisingEngine();
  const server = await startServer(t, { decisions: engine });
  const client = connect(server);
  for (const given of [
    null,
    '',
    {},
    [],
    'text',
    { a: [1, null, true] },
    ['a', { role: 'user', content: 'b' }],
  ]) {
    await client.systemOne({ state: given, questions: refund });
  }
  const entries = engine.seen.map(({ entry }) => entry);
  assert.deepEqual(entries.slice(0, 5), ['', '', {}, [], 'text']);
  assert.deepEqual(entries.slice(5), [{ a: [1, null, true] }, ['a', { role: 'user', content: 'b' }]]);
});

test('the TypeSafe client gets names of any text back byte for byte', async (t) => {
  const server = await startServer(t);
  const names = ['__proto__', 'constructor', 'toString', '10', '2', '1', 'a "b"\n', 'ß🦉', ' '];
  const criteria = Object.fromEntries(names.map((name) => [name, null]));
  const questions = Object.fromEntries(names.map((name) => [name, choice('Which?', criteria)]));
  const { answers } = await connect(server).systemOne({ state, questions });
  assert.deepEqual(Object.keys(answers).sort(), [...names].sort());
  for (const name of names) {
    const answer = Object.getOwnPropertyDescriptor(answers, name)?.value as (typeof answers)[string];
    assertChoice(answer, names);
  }
});

test('the TypeSafe client asks 128 questions in one request and is told when there are more', async (t) => {
  const server = await startServer(t);
  const ask = (count: number) =>
    connect(server).systemOne({
      state,
      questions: Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`q${index}`, noul('Refund?')]),
      ),
    });
  const { usage, answers } = await ask(128);
  assert.equal(Object.keys(answers).length, 128);
  assert.equal(usage.output_tokens, 128);
  const error = await rejection(ask(129), BadRequestError);
  assert.equal(error.message, '400 questions must be an object with 1 to 128 entries');
});

test('the TypeSafe client uses jev-latest unless told otherwise, and reads back the name it sent', async (t) => {
  const server = await startServer(t);
  const client = connect(server);
  assert.equal(client.defaultModel, latest);
  assert.equal((await client.systemOne({ state, questions: refund })).model, latest);
  for (const model of [latest, decider, 'pplx-decider-v1-27b']) {
    assert.equal((await client.systemOne({ state, questions: refund, model })).model, model);
  }
});

test('the TypeSafe client may forward the extra fields of System One', async (t) => {
  const server = await startServer(t);
  const extra = { provider: null, session_id: 's', trace: { trace_id: 't' }, user: 'u' };
  const { answers } = await connect(server).systemOne({ state, questions: refund, ...extra });
  assertShare(answers.refund.noul);
});

test('the TypeSafe client lists the deciders', async (t) => {
  const server = await startServer(t);
  const { data, requestId } = await connect(server).models.list().withResponse();
  assert.deepEqual(
    data.map(({ name }) => name),
    [decider, latest],
  );
  for (const card of data) {
    assert.deepEqual(Object.keys(card), ['name', 'description', 'release_date']);
    assert.notEqual(card.description, '');
    assert.match(card.release_date, /^\d{4}-\d\d-\d\d$/);
  }
  // Contract 2.4 gives this header to System One alone.
  assert.equal(requestId, undefined);
});

test('the TypeSafe client knows the request by the id that the server logs', async (t) => {
  const server = await startServer(t);
  const { requestId, response } = await connect(server)
    .systemOne({ state, questions: refund })
    .withResponse();
  assert.equal(requestId, onlyRequest(server).id);
  assert.equal(response.headers.get('x-request-id'), requestId);
});

test('the TypeSafe client throws BadRequestError for a refused request and does not repeat it', async (t) => {
  const server = await startServer(t);
  const error = await rejection(
    connect(server).systemOne({ state, questions: { empty: noul() } }),
    BadRequestError,
  );
  assert.equal(error.status, 400);
  assert.equal(error.message, `400 ${messages.blankNoul}`);
  const body = systemOneError(400, 'invalid_request', messages.blankNoul, 'questions.empty', 'unknown');
  assert.deepEqual(error.body, body);
  assert.equal(error.requestId, onlyRequest(server).id);
});

test('the TypeSafe client throws BadRequestError for everything above the limits', async (t) => {
  const server = await startServer(t);
  const ask = (question: Questions[string]) =>
    connect(server).systemOne({ state, questions: { q: question } });
  const options = await rejection(ask(choice('Which?', manyOptions(256))), BadRequestError);
  assert.equal(options.message, '400 Choice question must have 1 to 255 options');
  const levels = await rejection(ask(score('How?', ['', '', ...Array<string>(9).fill('')])), BadRequestError);
  assert.equal(levels.message, '400 Score question must have 1 to 10 levels');
  const none = await rejection(ask(choice('Which?', {})), BadRequestError);
  assert.equal(none.message, '400 Choice question must have 1 to 255 options');
});

test('the TypeSafe client throws BadRequestError for an unknown model or field', async (t) => {
  const server = await startServer(t);
  const client = connect(server);
  const model = await rejection(
    client.systemOne({ state, questions: refund, model: 'gpt-6-luna' }),
    BadRequestError,
  );
  const expected = systemOneError(400, 'invalid_request_error', messages.model, 'model', 'unknown');
  assert.deepEqual(model.body, expected);
  const request = { state, questions: refund, temperature: null };
  const field = await rejection(client.systemOne(request), BadRequestError);
  assert.equal(field.message, '400 Unknown field "temperature"');
});

test('the TypeSafe client throws AuthenticationError for an unknown key', async (t) => {
  const server = await startServer(t);
  const call = connect(server, 'not-a-key').systemOne({ state, questions: refund });
  const error = await rejection(call, AuthenticationError);
  assert.equal(error.message, `401 ${messages.key}`);
  const body = systemOneError(401, 'invalid_api_key', messages.key, null, 'authentication_error');
  assert.deepEqual(error.body, body);
  assert.equal(error.requestId, onlyRequest(server).id);
});

test('the TypeSafe client throws PermissionDeniedError for a key that may not decide', async (t) => {
  const server = await startServer(t, { config: narrowConfig });
  const call = connect(server, deniedKey).systemOne({ state, questions: refund });
  const error = await rejection(call, PermissionDeniedError);
  assert.equal(error.message, `403 ${messages.denied}`);
});

test('the TypeSafe client can tell an input that is too long', async (t) => {
  const server = await startServer(t, { env: { NESTOR_DECISIONS_MAX_INPUT_TOKENS: '100' } });
  const call = connect(server).systemOne({ state: 'charged twice '.repeat(200), questions: refund });
  const error = await rejection(call, BadRequestError);
  assert.match(
    error.message,
    /^400 Input length \(\d+\) exceeds or equals model's maximum context length \(100\)$/,
  );
  const { detail } = error.body as { detail: { error_type: string } };
  assert.equal(detail.error_type, 'tokens_exceeded');
  onlyRequest(server);
});

test('the TypeSafe client can tell a body that is too large, although it is still sending it', async (t) => {
  const server = await startServer(t);
  const call = connect(server).systemOne({ state: 'x'.repeat(33_554_432), questions: refund });
  const error = await rejection(call, APIError);
  assert.equal(error.status, 413);
  const body = systemOneError(413, 'invalid_request_error', messages.bytes, null, 'tokens_exceeded');
  assert.deepEqual(error.body, body);
  assert.equal(error.requestId, onlyRequest(server).id);
});

test('the TypeSafe client reads how long a refused request has to wait', async (t) => {
  const server = await startServer(t, { config: narrowConfig, clock: createManualClock() });
  const client = connect(server);
  await client.systemOne({ state, questions: refund });
  const call = client.systemOne({ state, questions: refund }, { retry: { maxRetries: 0 } });
  const error = await rejection(call, RateLimitError);
  assert.equal(error.retryAfterMs, 1_000);
  assert.deepEqual(error.body, systemOneError(429, 'too_many_requests', messages.rate, null, 'unknown'));
});

test('the TypeSafe client gets its answer after the wait that it was told', async (t) => {
  const clock = createManualClock();
  const server = await startServer(t, { config: narrowConfig, clock });
  const client = connect(server);
  await client.systemOne({ state, questions: refund });
  const second = client.systemOne({ state, questions: refund });
  await passAfterRefusal(server, clock);
  assertShare((await second).answers.refund.noul);
  assert.deepEqual(statusesOf(server), [200, 429, 200]);
});

test('the TypeSafe client repeats a request that found no backend', async (t) => {
  const server = await startServer(t, { decisions: createFailingEngine('service_unavailable', 1) });
  const { answers } = await connect(server).systemOne({ state, questions: refund });
  assert.equal(answers.refund.noul, 1 / 3);
  assert.deepEqual(statusesOf(server), [503, 200]);
});

test('the TypeSafe client throws InternalServerError when the engine takes too long', async (t) => {
  const server = await startServer(t, { decisions: createFailingEngine('gateway_timeout') });
  const error = await rejection(connect(server).systemOne({ state, questions: refund }), InternalServerError);
  assert.equal(error.status, 504);
  const { detail } = error.body as { detail: { error_type: string } };
  assert.equal(detail.error_type, 'timeout');
  assert.deepEqual(statusesOf(server), [504, 504, 504]);
});

test('the TypeSafe client ends the work on the server when its caller aborts', async (t) => {
  const engine = createSilentEngine();
  const server = await startServer(t, { decisions: engine });
  const controller = new AbortController();
  const call = connect(server).systemOne({ state, questions: refund }, { signal: controller.signal });
  const failed = rejection(call, APIUserAbortError);
  await engine.started;
  controller.abort();
  await failed;
  await engine.aborted;
  await new Promise(setImmediate);
  assert.deepEqual(statusesOf(server), [499]);
});
