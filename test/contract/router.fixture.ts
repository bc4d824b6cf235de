import assert from 'node:assert/strict';
import { Fault } from '../../src/kernel/faults.ts';
import type { ModelRequest } from '../../src/features/models/model.ts';
import { parseMessageEvents, readMessageEvents, type ReadMessage } from '../support/messages-grammar.ts';
import { breaks, call, finish, says, scriptedModels, text, type Batch } from '../support/models.ts';
import { startRouter, type TestRouter } from '../support/router.ts';
import type { TestScope } from '../support/server.ts';

export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
export const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } };
export const tool = { name: 'weather', description: 'Tells the weather.', input_schema: { type: 'object' } };
export const basic = { model: 'lab/echo', max_tokens: 64, messages: [{ role: 'user', content: 'Hello' }] };

const hello: readonly Batch[] = [[text('Hel')], [text('lo '), text('there')], finish()];
export const models = scriptedModels(
  {
    'lab/echo': says(...hello),
    'lab/tools': says(
      [text('I look. ')],
      call('call_1', 'weather', '{"city":', '"Bern"}'),
      call('call_2', 'weather', '{}'),
      finish('tool-calls'),
    ),
    'lab/stop': says([text('one ')], finish('stop-sequence', 'END')),
    'lab/stop-untold': says([text('one ')], finish('stop-sequence')),
    'lab/length': says([text('one ')], finish('length')),
    'lab/digits': says(
      call('c1', 'weather', '{"id":12345678901234567890,', '"pi":3.14159265358979323846}'),
      [text('behind')],
      finish('tool-calls'),
    ),
    'lab/twice': says([...call('c', 'weather', '{"city":"Bern","city":"Basel"}'), ...finish('tool-calls')]),
    'lab/cut-call': says([text('one ')], call('c', 'weather', '{"city":"Be'), finish('length')),
    'lab/filter': says(finish('content-filter')),
    'lab/full': says([text('a')], finish('context-full')),
    'lab/thinks': says([{ type: 'reasoning-delta', text: 'hm' }], [text('done')], finish()),
    'lab/garbage': says(call('c', 'weather', '{"city":'), finish('tool-calls')),
    'lab/garbage-at-once': says([...call('c', 'weather', '{"city":'), ...finish('tool-calls')]),
    'lab/busy': breaks(new Fault('service_unavailable', undefined, { retryAfterMs: 2_500 })),
    'lab/broken': breaks(new Fault('bad_gateway')),
    'lab/slow': breaks(new Fault('gateway_timeout')),
    'lab/defect': breaks(new Error('secret of the house')),
    'lab/cut': breaks(new Fault('bad_gateway'), [text('part '), text('of it')]),
    'lab/hidden': { router: false, answer: says(...hello) },
    'lab/plain': {
      capabilities: { tools: false, images: false, documents: false, prefill: false, reasoning: false },
      answer: says(...hello),
    },
  },
  { 'alias/echo': 'lab/echo' },
);

export interface ErrorBody {
  readonly type: string;
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly code: unknown;
    readonly param: unknown;
  };
  readonly request_id: string;
}

export interface MessagesRouter extends TestRouter {
  readonly ask: (body: object, path?: string) => Promise<Response>;
  /** The error of a request that was refused in shape M. */
  readonly refused: (body: object, status?: number, path?: string) => Promise<ErrorBody['error']>;
  /** What a client would have read of a stream that began. */
  readonly streamed: (body: object) => Promise<ReadMessage>;
}

const messagesPath = '/router/v1/messages';

/** The router over the models above. */
export async function openMessagesRouter(t: TestScope): Promise<MessagesRouter> {
  const router = await startRouter(t, { models });
  const ask = (body: object, path = messagesPath) => router.post(path, body);
  return {
    ...router,
    ask,
    async refused(body, status = 400, path = messagesPath) {
      const response = await ask(body, path);
      const received = (await response.json()) as ErrorBody;
      assert.equal(response.status, status, JSON.stringify(received));
      assert.equal(received.type, 'error');
      assert.equal(received.request_id, response.headers.get('x-request-id'));
      assert.equal(received.request_id, response.headers.get('request-id'));
      assert.deepEqual(Object.keys(received.error), ['message', 'type', 'code', 'param']);
      return received.error;
    },
    async streamed(body) {
      const response = await ask({ ...body, stream: true });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
      return readMessageEvents(parseMessageEvents(await response.text()));
    },
  };
}

/** What a model was asked last. */
export function lastRequest(): ModelRequest {
  const request = models.requests.at(-1);
  assert.ok(request);
  return request;
}
