import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HTTPClient, OpenRouter } from '@openrouter/sdk';
import type { DecisionsRequest, DecisionsResponse } from '@openrouter/sdk/models';
import {
  BadGatewayResponseError,
  BadRequestResponseError,
  ForbiddenResponseError,
  InternalServerResponseError,
  OpenRouterDefaultError,
  PayloadTooLargeResponseError,
  RequestAbortedError,
  ServiceUnavailableResponseError,
  TooManyRequestsResponseError,
  UnauthorizedResponseError,
} from '@openrouter/sdk/models/errors';
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
  pixel,
  rejection,
  statusesOf,
} from './support.ts';

const state = 'I was charged twice for order 4411, please fix this today.';
const refund = { refund: { type: 'noul', instructions: 'Is the customer asking for money back?' } } as const;
const simple: DecisionsRequest = { model: latest, state, questions: refund };
/** Its default is to repeat for an hour. */
const once = { retries: { strategy: 'none' } } as const;

function connect({ url, key }: TestServer, apiKey = key): OpenRouter {
  return new OpenRouter({ serverURL: `${url}/v1`, apiKey });
}

function ask(client: OpenRouter, request: Partial<DecisionsRequest> = {}): Promise<DecisionsResponse> {
  return client.systemOne.create({ decisionsRequest: { ...simple, ...request } }, once);
}

type Answer = DecisionsResponse['answers'][string];

/** The client turns what it cannot parse into an unknown answer instead of failing. */
function answerOf<Kind extends 'noul' | 'choice' | 'score'>(
  { answers }: DecisionsResponse,
  name: string,
  kind: Kind,
): Extract<Answer, { type: Kind }> {
  const answer = answers[name];
  assert.equal(answer?.type, kind, `${name} was parsed`);
  return answer as Extract<Answer, { type: Kind }>;
}

test('the OpenRouter client gets known numbers back as they are', async (t) => {
  const server = await startServer(t, { decisions: createRisingEngine() });
  const response = await ask(connect(server), {
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
  assert.deepEqual(response, {
    model: latest,
    answers: {
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
    },
    usage: { inputTokens: state.length, outputTokens: 3 },
  });
});

test('the OpenRouter client parses the answer to every question that it may ask', async (t) => {
  const server = await startServer(t);
  const many = manyOptions(255);
  const structured = ['How angry?', { scale: ['low', 'high'] }];
  const response = await ask(connect(server), {
    questions: {
      text: { type: 'noul', instructions: 'Refund?' },
      object: { type: 'noul', instructions: { ask: 'Refund?' } },
      defined: {
        type: 'noul',
        instructions: '',
        criteria: { true: 'wants money', false: ['anything', 'else'] },
      },
      described: {
        type: 'choice',
        instructions: 'Topic?',
        criteria: { billing: 'charges', bugs: { area: 'app' }, sales: ['new', 'renewal'], other: null },
      },
      one: { type: 'choice', instructions: '', criteria: { only: null } },
      many: { type: 'choice', instructions: ['Which?'], criteria: many },
      levels: { type: 'score', instructions: structured, criteria: ['calm', { is: 'angry' }, ['mad']] },
      single: { type: 'score', instructions: 'How angry?', criteria: ['calm'] },
      ten: { type: 'score', instructions: 'How angry?', criteria: Array<string>(10).fill('same') },
    },
  });
  for (const name of ['text', 'object', 'defined']) assertShare(answerOf(response, name, 'noul').noul);
  assertChoice(answerOf(response, 'described', 'choice'), ['billing', 'bugs', 'sales', 'other']);
  assertChoice(answerOf(response, 'one', 'choice'), ['only']);
  assertChoice(answerOf(response, 'many', 'choice'), Object.keys(many));
  const levels = answerOf(response, 'levels', 'score');
  assertScore(levels, 3);
  assert.deepEqual(levels.legend, { '0': 'calm', '1': { is: 'angry' }, '2': ['mad'] });
  assertScore(answerOf(response, 'single', 'score'), 1);
  assertScore(answerOf(response, 'ten', 'score'), 10);
  assert.equal(response.usage.outputTokens, 9);
});

test('the OpenRouter client may send text, an object or an array with images as the state', async (t) => {
  const engine = createRisingEngine();
  const server = await startServer(t, { decisions: engine });
  const client = connect(server);
  const parts = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: pixel } }] }];
  for (const given of ['', { order: 4411 }, parts]) await ask(client, { state: given });
  assert.deepEqual(
    engine.seen.map(({ entry }) => entry),
    ['', { order: 4411 }, parts],
  );
  assert.equal(engine.seen[2]?.images.length, 1);
});

test('the OpenRouter client may send its own fields and headers', async (t) => {
  const server = await startServer(t);
  const response = await connect(server).systemOne.create({
    httpReferer: 'https://example.com',
    appTitle: 'Example',
    appCategories: 'cli-agent',
    decisionsRequest: {
      ...simple,
      provider: { order: ['typesafe'], allowFallbacks: false },
      sessionId: 'session',
      trace: { traceId: 'trace', traceName: 'name', additionalProperties: { custom: 1 } },
      user: 'user',
    },
  });
  assertShare(answerOf(response, 'refund', 'noul').noul);
  assertShare(answerOf(await ask(connect(server), { provider: null }), 'refund', 'noul').noul);
});

test('the OpenRouter client asks its own path for decisions, which answers the same', async (t) => {
  const server = await startServer(t);
  const client = connect(server);
  // Without the address of a call this one goes to OpenRouter itself.
  const here = { ...once, serverURL: server.url };
  const asked = await client.alpha.decisions.create({ decisionsRequest: simple }, here);
  assert.deepEqual(asked, await ask(client));
  const refused = client.alpha.decisions.create(
    { decisionsRequest: { ...simple, model: 'gpt-6-luna' } },
    here,
  );
  assert.deepEqual((await rejection(refused, BadRequestResponseError)).error, {
    code: 400,
    message: messages.model,
  });
});

test('the OpenRouter client reads back the name that it sent', async (t) => {
  const server = await startServer(t);
  for (const model of [latest, decider, 'pplx-decider-v1-27b']) {
    assert.equal((await ask(connect(server), { model })).model, model);
  }
});

test('the OpenRouter client throws BadRequestResponseError, whose code is the status, and sends it once', async (t) => {
  const server = await startServer(t);
  const call = connect(server).systemOne.create({ decisionsRequest: { ...simple, model: 'gpt-6-luna' } });
  const error = await rejection(call, BadRequestResponseError);
  assert.equal(error.message, messages.model);
  assert.deepEqual(error.error, { code: 400, message: messages.model });
  assert.equal(error.statusCode, 400);
  assert.equal(error.headers.get('x-typesafe-request-id'), onlyRequest(server).id);
});

test('the OpenRouter client parses the refusal of a question', async (t) => {
  const server = await startServer(t);
  const client = connect(server);
  const blank = { type: 'noul', instructions: ' ' } as const;
  const empty = await rejection(ask(client, { questions: { blank } }), BadRequestResponseError);
  assert.deepEqual(empty.error, { code: 400, message: messages.blankNoul });
  const wide = { type: 'choice', instructions: 'Which?', criteria: manyOptions(256) } as const;
  const options = await rejection(ask(client, { questions: { wide } }), BadRequestResponseError);
  assert.equal(options.message, 'Choice question must have 1 to 255 options');
});

test('the OpenRouter client parses the refusal of an input that is too long', async (t) => {
  const server = await startServer(t, { env: { NESTOR_DECISIONS_MAX_INPUT_TOKENS: '100' } });
  const call = ask(connect(server), { state: 'charged twice '.repeat(200) });
  const error = await rejection(call, BadRequestResponseError);
  assert.match(
    error.message,
    /^Input length \(\d+\) exceeds or equals model's maximum context length \(100\)$/,
  );
});

test('the OpenRouter client throws UnauthorizedResponseError for an unknown key', async (t) => {
  const server = await startServer(t);
  const error = await rejection(ask(connect(server, 'not-a-key')), UnauthorizedResponseError);
  assert.deepEqual(error.error, { code: 401, message: messages.key });
  onlyRequest(server);
});

test('the OpenRouter client throws ForbiddenResponseError for a key that may not decide', async (t) => {
  const server = await startServer(t, { config: narrowConfig });
  const error = await rejection(ask(connect(server, deniedKey)), ForbiddenResponseError);
  assert.deepEqual(error.error, { code: 403, message: messages.denied });
});

test('the OpenRouter client throws PayloadTooLargeResponseError for a body that is too large', async (t) => {
  const server = await startServer(t);
  const call = ask(connect(server), { state: 'x'.repeat(33_554_432) });
  const error = await rejection(call, PayloadTooLargeResponseError);
  assert.deepEqual(error.error, { code: 413, message: messages.bytes });
  onlyRequest(server);
});

test('the OpenRouter client throws TooManyRequestsResponseError when the bucket is empty', async (t) => {
  const server = await startServer(t, { config: narrowConfig, clock: createManualClock() });
  const client = connect(server);
  await ask(client);
  const error = await rejection(ask(client), TooManyRequestsResponseError);
  assert.deepEqual(error.error, { code: 429, message: messages.rate });
  assert.equal(error.headers.get('retry-after'), '1');
});

test('the OpenRouter client parses every failure of the server that it has a class for', async (t) => {
  const cases = [
    ['internal', InternalServerResponseError, 500],
    ['bad_gateway', BadGatewayResponseError, 502],
    ['service_unavailable', ServiceUnavailableResponseError, 503],
  ] as const;
  for (const [code, kind, status] of cases) {
    const server = await startServer(t, { decisions: createFailingEngine(code) });
    const error = await rejection<InstanceType<(typeof cases)[number][1]>>(ask(connect(server)), kind);
    assert.equal(error.error.code, status);
    assert.notEqual(error.error.message, '');
  }
});

test('the OpenRouter client throws its default error, status and body kept, when the engine takes too long', async (t) => {
  const server = await startServer(t, { decisions: createFailingEngine('gateway_timeout') });
  const error = await rejection(ask(connect(server)), OpenRouterDefaultError);
  assert.equal(error.statusCode, 504);
  assert.equal((JSON.parse(error.body) as { error: { code: number } }).error.code, 504);
});

test('the OpenRouter client repeats a request that found no backend', async (t) => {
  const server = await startServer(t, { decisions: createFailingEngine('service_unavailable', 1) });
  const response = await connect(server).systemOne.create({ decisionsRequest: simple });
  assert.equal(answerOf(response, 'refund', 'noul').noul, 1 / 3);
  assert.deepEqual(statusesOf(server), [503, 200]);
});

test('the OpenRouter client ends the work on the server when its caller aborts', async (t) => {
  const engine = createSilentEngine();
  const server = await startServer(t, { decisions: engine });
  const controller = new AbortController();
  const { signal } = controller;
  // The client sends a clone of its request, and Node 26 keeps the signal of a clone weakly: a collection before the abort
  // leaves the client waiting, here as anywhere. What the client is given to fetch with holds the signal.
  const httpClient = new HTTPClient({ fetcher: (input, init) => fetch(input, { ...init, signal }) });
  const client = new OpenRouter({ serverURL: `${server.url}/v1`, apiKey: server.key, httpClient });
  const call = client.systemOne.create({ decisionsRequest: simple }, { ...once, signal });
  const failed = rejection(call, RequestAbortedError);
  await engine.started;
  controller.abort();
  await failed;
  await engine.aborted;
});

test('the OpenRouter client gets a whole chat completion of a model of the router, and a streamed one', async (t) => {
  const { url, key } = await startServer(t);
  const client = new OpenRouter({ serverURL: `${url}/router/v1`, apiKey: key });
  const chatRequest = { model: 'svc/svc', messages: [{ role: 'user' as const, content: 'What is a kea?' }] };
  const whole = await client.chat.send({ chatRequest: { ...chatRequest, stream: false } }, once);
  assert.ok('choices' in whole);
  assert.equal(whole.choices[0]?.finishReason, 'stop');
  const streamed = await client.chat.send({ chatRequest: { ...chatRequest, stream: true } }, once);
  assert.ok(!('choices' in streamed));
  let text = '';
  for await (const chunk of streamed) text += chunk.choices[0]?.delta.content ?? '';
  assert.equal(text, whole.choices[0]?.message.content);
});
