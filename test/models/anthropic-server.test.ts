import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../src/kernel/kit/json.ts';
import { collect, faultOf, firstModel, plainRequest } from './suite.ts';
import { hang, startWire, type WireAnswer, type WireRequest } from '../support/upstream-chat.ts';
import { json, messagesError, startMessage, textAnswer, textDelta } from '../support/upstream-messages.ts';
import { openAt, reached } from '../support/upstream-messages-model.ts';

const { signal } = new AbortController();

const info = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  type: 'model',
  display_name: id,
  created_at: '2026-02-05T00:00:00Z',
  ...more,
});

function listing(models: readonly JsonObject[], more: JsonObject = {}): WireAnswer {
  return json({ data: models, has_more: false, ...more });
}

test('each request carries the key, the version of the wire and the headers of the operator', async (t) => {
  const server = await startWire(t, () => textAnswer('Hello'));
  const headers = { 'Anthropic-Version': '2026-01-01', 'x-team': 'parrots' };
  await collect(firstModel(openAt(t, `${server.url}/base`)));
  await collect(firstModel(openAt(t, server.url, { headers, key: null })));
  const [ours, theirs] = server.requests;
  assert.equal(ours?.path, '/v1/base/messages');
  assert.equal(ours.headers['x-api-key'], 'key-of-the-operator');
  assert.equal(ours.headers['anthropic-version'], '2023-06-01');
  assert.equal(ours.headers['accept'], 'text/event-stream');
  assert.equal(theirs?.headers['x-api-key'], undefined);
  assert.equal(theirs?.headers['anthropic-version'], '2026-01-01');
  assert.equal(theirs.headers['x-team'], 'parrots');
});

test('answers one after the other use one connection', async (t) => {
  const server = await startWire(t, () => textAnswer('Hello'));
  const model = firstModel(openAt(t, server.url));
  for (let n = 0; n < 4; n++) {
    await collect(model);
    // The end of the body is read in the background.
    await server.idle();
    await pause(20);
  }
  assert.equal(server.connections(), 1);
});

test('the list of the server is read page by page, with sizes and capabilities', async (t) => {
  const capabilities = {
    image_input: { supported: false },
    pdf_input: { supported: true },
    structured_outputs: { supported: false },
    effort: { supported: true, low: { supported: true }, max: { supported: true } },
    thinking: { supported: true, types: { adaptive: { supported: true }, enabled: { supported: false } } },
  };
  const server = await startWire(t, ({ path }) =>
    path.includes('after_id=two')
      ? listing([info('claude-three-9-1', { max_input_tokens: 500_000, max_tokens: 9_000, capabilities })])
      : listing([info('claude-opus-4-5'), info('two', { owned_by: 'someone' })], {
          has_more: true,
          last_id: 'two',
        }),
  );
  const provider = openAt(t, server.url, { models: '*' });
  assert.deepEqual(provider.models(), []);
  await provider.refresh(signal);
  const [first, second, third] = provider.models();
  assert.ok(first && second && third);
  assert.deepEqual(
    provider.models().map(({ model }) => model.name),
    ['claude-opus-4-5', 'two', 'claude-three-9-1'],
  );
  assert.deepEqual([first.created, first.ownedBy, second.ownedBy], [1_770_249_600, 'anthropic', 'someone']);
  assert.deepEqual([first.model.contextTokensMax, first.model.outputTokensMax], [200_000, 64_000]);
  assert.deepEqual([third.model.contextTokensMax, third.model.outputTokensMax], [500_000, 9_000]);
  const { images, documents, jsonSchema } = third.model.capabilities;
  assert.deepEqual([images, documents, jsonSchema], [false, true, false]);
});

test('a list that did not change gives the same entries, and one that fails keeps them', async (t) => {
  let replies: WireAnswer[] = [
    listing([info('a'), info('b')]),
    listing([info('a'), info('b', { max_tokens: 5 })]),
  ];
  const broken = messagesError('api_error', 500);
  const server = await startWire(t, () => replies.shift() ?? broken);
  const provider = openAt(t, server.url, { models: '*' });
  await provider.refresh(signal);
  const [a, b] = provider.models();
  await provider.refresh(signal);
  assert.equal(provider.models()[0], a);
  assert.notEqual(provider.models()[1], b);
  assert.equal(provider.health(), 'ok');
  await provider.refresh(signal);
  assert.equal(provider.models().length, 2);
  assert.equal(provider.health(), 'down');
  replies = [listing([info('c')])];
  await provider.refresh(signal);
  assert.deepEqual([provider.health(), provider.models()[0]?.model.name], ['ok', 'c']);
});

test('a list without end, or one that repeats itself, is left', async (t) => {
  const endless = await startWire(t, ({ path }) => {
    const id = String(Number(/after_id=(\d+)/.exec(path)?.[1] ?? 0) + 1);
    return listing([info(id)], { has_more: true, last_id: id });
  });
  const provider = openAt(t, endless.url, { models: '*' });
  await provider.refresh(signal);
  assert.equal(provider.models().length, 20);
  const same = await startWire(t, () => listing([info('a')], { has_more: true, last_id: 'a' }));
  await openAt(t, same.url, { models: '*' }).refresh(signal);
  assert.equal(same.requests.length, 2);
});

test('a configured list is offered at once and needs no list of the server', async (t) => {
  const server = await startWire(t, () => messagesError('not_found_error', 404));
  const provider = openAt(t, server.url, { models: ['claude-haiku-4-5', 'own'] });
  assert.deepEqual(
    provider.models().map(({ model }) => model.outputTokensMax),
    [64_000, null],
  );
  await provider.refresh(signal);
  assert.deepEqual([provider.health(), provider.models().length], ['ok', 2]);
  const asked = openAt(t, server.url, { models: '*' });
  await asked.refresh(signal);
  assert.equal(asked.health(), 'down');
});

test('an aborted refresh neither rejects nor says anything of the server', async (t) => {
  const server = await startWire(t, () => ({ steps: [hang] }));
  const provider = openAt(t, server.url, { models: '*' });
  await provider.refresh(AbortSignal.timeout(30));
  assert.equal(provider.health(), 'ok');
});

test('an abort closes the connection, before and after the first output', async (t) => {
  for (const steps of [[hang], [startMessage(), textDelta(0, 'Hel'), hang]] as const) {
    const server = await startWire(t, () => steps);
    const aborting = new AbortController();
    const work = collect(firstModel(openAt(t, server.url)), {}, aborting.signal);
    await reached(server);
    await pause(20);
    aborting.abort(new Error('gone'));
    await assert.rejects(work, { message: 'gone' });
    // Measured: under 2 ms. Nothing else would close it.
    await server.idle();
  }
});

test('tokens are counted by the server, with the prompt and nothing else', async (t) => {
  const server = await startWire(t, () => json({ input_tokens: 42 }));
  const model = firstModel(openAt(t, server.url));
  const request = { ...plainRequest, stop: ['x'], temperature: 0.5, outputTokensMax: 10 };
  assert.equal(await model.countTokens(request, signal), 42);
  const [sent] = server.requests;
  assert.equal(sent?.path, '/v1/messages/count_tokens');
  assert.deepEqual(Object.keys(sent.body), ['model', 'system', 'messages']);
});

test('a server that does not count is asked once; the failure of another is reported', async (t) => {
  const absent = await startWire(t, () => messagesError('not_found_error', 404));
  const model = firstModel(openAt(t, absent.url));
  const count = await model.countTokens(plainRequest, signal);
  assert.ok(count > 0);
  assert.equal(await model.countTokens(plainRequest, signal), count);
  assert.equal(absent.requests.length, 1);
  const broken = await startWire(t, () => messagesError('api_error', 500));
  const fault = await faultOf(firstModel(openAt(t, broken.url)).countTokens(plainRequest, signal));
  assert.equal(fault.code, 'bad_gateway');
});

test('what failed for the moment is tried again, and a long wait is reported instead', async (t) => {
  const replies: WireAnswer[] = [messagesError('overloaded_error', 529), messagesError('api_error', 500)];
  const server = await startWire(t, () => replies.shift() ?? textAnswer('Hello'));
  assert.equal((await collect(firstModel(openAt(t, server.url)))).text, 'Hello');
  assert.equal(server.requests.length, 3);
  const busy = { ...messagesError('rate_limit_error', 429), headers: { 'retry-after': '30' } };
  const later = await startWire(t, () => busy);
  const fault = await faultOf(collect(firstModel(openAt(t, later.url))));
  assert.deepEqual(
    [fault.code, fault.retryAfterMs, later.requests.length],
    ['service_unavailable', 30_000, 1],
  );
});

/** Refuses a request as long as it has what the model does not take. */
function refusing(message: string, isWrong: (body: JsonObject) => boolean) {
  return ({ body }: WireRequest): WireAnswer =>
    isWrong(body) ? messagesError('invalid_request_error', 400, message) : textAnswer('Hello');
}

test('a refused setting is left out, and not sent to that model again', async (t) => {
  const server = await startWire(
    t,
    refusing('`temperature` is deprecated for this model.', (body) => 'temperature' in body),
  );
  const model = firstModel(openAt(t, server.url, { models: ['new-model'] }));
  for (let n = 0; n < 2; n++) assert.equal((await collect(model, { temperature: 0.2 })).text, 'Hello');
  assert.equal(server.requests.length, 3);
});

test('a model that knows no prefill is asked to go on instead', async (t) => {
  const lastRole = (body: JsonObject) => (body['messages'] as unknown as { role: string }[]).at(-1)?.role;
  const server = await startWire(
    t,
    refusing(
      'This model does not support assistant message prefill.',
      (body) => lastRole(body) === 'assistant',
    ),
  );
  const turns = [
    ...plainRequest.turns,
    { role: 'assistant', parts: [{ type: 'text', text: 'The kea' }] },
  ] as const;
  const model = firstModel(openAt(t, server.url, { models: ['new-model'] }));
  assert.equal((await collect(model, { turns })).text, 'Hello');
  assert.equal(server.requests.length, 2);
});

test('a refusal without a later success changes nothing', async (t) => {
  const received = 'messages.0: the word temperature is not allowed here';
  const server = await startWire(t, () => messagesError('invalid_request_error', 400, received));
  const model = firstModel(openAt(t, server.url, { models: ['new-model'] }));
  assert.equal((await faultOf(collect(model, { temperature: 0.2 }))).code, 'invalid_value');
  assert.equal(server.requests.length, 2);
  await faultOf(collect(model, { temperature: 0.2 }));
  assert.ok('temperature' in (server.requests[2]?.body ?? {}));
});

test('what one request is refused for is left out of that request alone', async (t) => {
  const marksOf = (body: JsonObject) => JSON.stringify(body).split('cache_control').length - 1;
  const server = await startWire(
    t,
    refusing(
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
      (body) => marksOf(body) > 4,
    ),
  );
  const model = firstModel(openAt(t, server.url));
  const marked = (count: number) => ({
    system: Array.from({ length: count }, (_, at) => `Part ${at}.`),
    systemCache: Array.from({ length: count }, () => '5m' as const),
  });
  assert.equal((await collect(model, marked(5))).text, 'Hello');
  assert.equal((await collect(model, marked(4))).text, 'Hello');
  assert.deepEqual(
    server.requests.map(({ body }) => marksOf(body)),
    [5, 0, 4],
  );
});

test('thoughts that another model signed are left out, and the model goes on thinking', async (t) => {
  const server = await startWire(
    t,
    refusing('messages.1.content.0: Invalid `signature` in `thinking` block', (body) =>
      JSON.stringify(body).includes('foreign'),
    ),
  );
  const model = firstModel(openAt(t, server.url, { models: ['claude-opus-4-6'] }));
  const asked = (signature: string) => ({
    effort: 'high' as const,
    turns: [
      ...plainRequest.turns,
      {
        role: 'assistant',
        parts: [
          { type: 'thought', text: 'Hm.', signature },
          { type: 'text', text: 'A parrot.' },
        ],
      },
      ...plainRequest.turns,
    ] as const,
  });
  await collect(model, asked('foreign'));
  await collect(model, asked('own'));
  const seen = server.requests.map(({ body }) => [
    (body['thinking'] as JsonObject | undefined)?.['type'],
    JSON.stringify(body).includes('Hm.'),
  ]);
  assert.deepEqual(seen, [
    ['adaptive', true],
    ['adaptive', false],
    ['adaptive', true],
  ]);
});
