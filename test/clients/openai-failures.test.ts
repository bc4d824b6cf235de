import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI, {
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai';
import type { DecisionCreateParams } from 'openai/resources/decisions';
import { createManualClock } from '../support/clock.ts';
import { startServer } from '../support/server.ts';
import { choicesOf, connect, refund, simple, type Question } from './openai.fixture.ts';
import {
  createFailingEngine,
  createSilentEngine,
  deniedKey,
  manyOptions,
  messages,
  narrowConfig,
  onlyRequest,
  passAfterRefusal,
  pixel,
  rejection,
  statusesOf,
} from './support.ts';

test('the OpenAI client throws NotFoundError for a path that is not served', async (t) => {
  const server = await startServer(t);
  const error = await rejection(connect(server).files.retrieve('file-1'), NotFoundError);
  assert.equal(error.type, 'not_found');
  assert.match(error.requestID ?? '', /^[0-9a-f-]{36}$/);
});

test('the OpenAI client throws BadRequestError with every field set and sends no second request', async (t) => {
  const server = await startServer(t);
  const call = connect(server).decisions.create({ ...simple, model: 'gpt-6-luna' });
  const error = await rejection(call, BadRequestError);
  const { message, status, type, param, code, requestID } = error;
  assert.deepEqual(
    { message, status, type, param, code },
    {
      message: `400 ${messages.model}`,
      status: 400,
      type: 'invalid_request_error',
      param: 'model',
      code: null,
    },
  );
  assert.equal(requestID, onlyRequest(server).id);
  assert.equal(error.headers.get('x-should-retry'), 'false');
});

test('the OpenAI client throws BadRequestError for whatever the interface does not take', async (t) => {
  const server = await startServer(t);
  const { decisions } = connect(server);
  const ask = (question: Question) => ({ ...simple, questions: [question] });
  const say = (...items: Exclude<DecisionCreateParams['input'], string>) => ({ ...simple, input: items });
  const choose = (count: number) =>
    ask({ type: 'choice', instructions: 'Which?', choices: choicesOf(Object.keys(manyOptions(count))) });
  const imageFault = 'image_url is not a supported data URL (PNG, JPEG or WebP, base64)';
  const image = (image_url: string) => [{ type: 'input_image', image_url }] as const;
  const cases: readonly (readonly [DecisionCreateParams, string])[] = [
    [{ ...simple, questions: [] }, 'questions must be an array with 1 to 128 entries'],
    [
      { ...simple, questions: Array.from({ length: 129 }, () => refund) },
      'questions must be an array with 1 to 128 entries',
    ],
    [choose(1), 'Choice question must have 2 to 255 choices'],
    [choose(256), 'Choice question must have 2 to 255 choices'],
    [ask({ type: 'choice', instructions: '?', choices: choicesOf([true, true]) }), 'Choices must be unique'],
    [ask({ type: 'score', instructions: '?', levels: [] }), 'Score question must have 1 to 10 levels'],
    [say({ role: 'user', content: [...image('https://example.com/a.png')] }), imageFault],
    [
      ask({ type: 'predicate', instructions: [...image(pixel)] }),
      'image parts are only allowed in a state array',
    ],
    [
      say({ type: 'function_call_output', call_id: 'c9', output: '' }),
      'no function call found for call_id "c9"',
    ],
  ];
  for (const [body, message] of cases) {
    const error = await rejection(decisions.create(body), BadRequestError);
    assert.equal(error.message, `400 ${message}`);
    assert.equal(error.code, null);
  }
  assert.equal(statusesOf(server).length, cases.length);
});

test('the OpenAI client throws BadRequestError for an empty list of items', async (t) => {
  const server = await startServer(t);
  const call = connect(server).decisions.create({ ...simple, input: [] });
  const error = await rejection(call, BadRequestError);
  assert.equal(error.param, 'input');
});

test('the OpenAI client on the base URL of the native interface is told what is wrong', async (t) => {
  const server = await startServer(t);
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.key });
  const error = await rejection(client.decisions.create(simple), BadRequestError);
  assert.equal(
    error.message,
    '400 Unknown field "input": a body of this shape is answered at /openai/v1/decisions',
  );
  assert.equal((await client.models.list()).object, 'list');
});

test('the OpenAI client throws BadRequestError for an input that is too long', async (t) => {
  const server = await startServer(t, { env: { NESTOR_DECISIONS_MAX_INPUT_TOKENS: '100' } });
  const call = connect(server).decisions.create({ ...simple, input: 'charged twice '.repeat(200) });
  const error = await rejection(call, BadRequestError);
  assert.match(
    error.message,
    /^400 Input length \(\d+\) exceeds or equals model's maximum context length \(100\)$/,
  );
  assert.equal(error.type, 'invalid_request');
  onlyRequest(server);
});

test('the OpenAI client reads the refusal of a body that is too large', async (t) => {
  const server = await startServer(t);
  const call = connect(server).decisions.create({ ...simple, input: 'x'.repeat(33_554_432) });
  const error = await rejection(call, APIError);
  assert.equal(error.message, `413 ${messages.bytes}`);
  assert.equal(error.code, null);
  onlyRequest(server);
});

test('the OpenAI client throws AuthenticationError for an unknown key', async (t) => {
  const server = await startServer(t);
  const error = await rejection(connect(server, 'not-a-key').decisions.create(simple), AuthenticationError);
  const { message, type, param, requestID } = error;
  assert.deepEqual(
    { message, type, param },
    { message: `401 ${messages.key}`, type: 'invalid_api_key', param: null },
  );
  assert.equal(error.code, 401);
  assert.equal(requestID, onlyRequest(server).id);
});

test('the OpenAI client throws PermissionDeniedError for a key that may not decide', async (t) => {
  const server = await startServer(t, { config: narrowConfig });
  const error = await rejection(connect(server, deniedKey).decisions.create(simple), PermissionDeniedError);
  assert.equal(error.message, `403 ${messages.denied}`);
  onlyRequest(server);
});

test('the OpenAI client throws RateLimitError when it may not wait', async (t) => {
  const server = await startServer(t, { config: narrowConfig, clock: createManualClock() });
  const { decisions } = connect(server);
  await decisions.create(simple);
  const error = await rejection(decisions.create(simple, { maxRetries: 0 }), RateLimitError);
  assert.equal(error.message, `429 ${messages.rate}`);
  assert.equal(error.type, 'too_many_requests');
  assert.equal(error.headers.get('retry-after-ms'), '1000');
});

test('the OpenAI client gets its answer after the wait that it was told', async (t) => {
  const clock = createManualClock();
  const server = await startServer(t, { config: narrowConfig, clock });
  const { decisions } = connect(server);
  await decisions.create(simple);
  const second = decisions.create(simple);
  await passAfterRefusal(server, clock);
  assert.equal((await second).answers.length, 1);
  assert.deepEqual(statusesOf(server), [200, 429, 200]);
});

test('the OpenAI client repeats a request that found no backend', async (t) => {
  const server = await startServer(t, { decisions: createFailingEngine('service_unavailable', 1) });
  const decision = await connect(server).decisions.create(simple);
  assert.deepEqual(decision.answers, [{ type: 'predicate', name: 'refund', probability: 1 / 3 }]);
  assert.deepEqual(statusesOf(server), [503, 200]);
});

test('the OpenAI client throws InternalServerError when its repeats are used up', async (t) => {
  const server = await startServer(t, { decisions: createFailingEngine('bad_gateway') });
  const error = await rejection(connect(server).decisions.create(simple), InternalServerError);
  assert.equal(error.status, 502);
  assert.equal(error.type, 'bad_gateway');
  assert.deepEqual(statusesOf(server), [502, 502, 502]);
});

test('the OpenAI client ends the work on the server when its caller aborts', async (t) => {
  const engine = createSilentEngine();
  const server = await startServer(t, { decisions: engine });
  const controller = new AbortController();
  const call = connect(server).decisions.create(simple, { signal: controller.signal });
  const failed = rejection(call, APIUserAbortError);
  await engine.started;
  controller.abort();
  await failed;
  await engine.aborted;
});
