import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { Fault } from '../../src/kernel/faults.ts';
import { RouterChatResponse } from '../../src/features/router/wire/chat/schema.ts';
import { breaks, call, finish, says, scriptedModels, text } from '../support/models.ts';
import { startRouter } from '../support/router.ts';
import { assertMatches } from '../support/strict.ts';

/** Contract 14.6 over models in memory. */

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const path = '/router/v1/chat/completions';
const basic = { model: 'lab/echo', messages: [{ role: 'user', content: 'Hello' }] };
const tool = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } };

const models = scriptedModels(
  {
    'lab/echo': says([text('Hel')], [text('lo')], finish()),
    'lab/tools': says(
      [
        { type: 'tool-call-start', id: 'call_1', name: 'weather' },
        { type: 'tool-call-start', id: 'call_2', name: 'weather' },
        { type: 'tool-call-delta', id: 'call_2', arguments: '{}' },
        { type: 'tool-call-delta', id: 'call_1', arguments: '{"a"' },
        { type: 'tool-call-delta', id: 'call_1', arguments: ':1}' },
        { type: 'tool-call-end', id: 'call_1' },
        { type: 'tool-call-end', id: 'call_2' },
      ],
      finish('tool-calls'),
    ),
    'lab/said': says([text('I look.')], call('call_1', 'weather', '{}'), finish('end')),
    'lab/stop': says([text('a')], finish('stop-sequence', 'END')),
    'lab/length': says([text('a')], finish('length')),
    'lab/full': says([text('a')], finish('context-full')),
    'lab/filter': says(finish('content-filter')),
    'lab/busy': breaks(new Fault('service_unavailable', undefined, { retryAfterMs: 1_500 })),
    'lab/broken': breaks(new Fault('bad_gateway')),
    'lab/cut': breaks(new Fault('bad_gateway'), [text('part')]),
    'lab/hidden': { router: false, answer: says(finish()) },
    'lab/plain': { capabilities: { tools: false, images: false }, answer: says(finish()) },
  },
  { alias: 'lab/echo' },
);
const router = await startRouter({ after }, { models });
const post = (body: object) => router.post(path, body);
const lastRequest = () => {
  const request = models.requests.at(-1);
  assert.ok(request);
  return request;
};

interface Chunk {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta: Record<string, unknown>;
    readonly logprobs: null;
    readonly finish_reason: string | null;
  }[];
  readonly usage?: unknown;
}

/** Chunks of a stream; every line is `data:`, the last one is `[DONE]`. */
async function streamed(body: object): Promise<Chunk[]> {
  const response = await post({ ...body, stream: true });
  assert.equal(response.status, 200);
  const wire = await response.text();
  const lines = wire.split('\n\n');
  assert.equal(lines.pop(), '');
  assert.equal(lines.pop(), 'data: [DONE]');
  return lines.map((line) => {
    assert.ok(line.startsWith('data: '), line);
    return JSON.parse(line.slice('data: '.length)) as Chunk;
  });
}

suite('chat completions as JSON', () => {
  test('an answer has every key of the schema, the name as sent and the tokens that were reported', async () => {
    const response = await post({ ...basic, model: 'alias' });
    assert.equal(response.status, 200);
    const body = (await response.json()) as Record<string, unknown>;
    assertMatches(RouterChatResponse, body, 'alias');
    assert.equal(body['model'], 'alias');
    assert.deepEqual(body['choices'], [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ]);
    assert.deepEqual(body['usage'], {
      prompt_tokens: 16,
      completion_tokens: 5,
      total_tokens: 21,
      prompt_tokens_details: { cached_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 1 },
    });
    const billing = router.records.at(-1)?.billing;
    assert.equal(billing?.model, 'lab/echo');
    assert.deepEqual([billing.inputTokens, billing.outputTokens], [16, 5]);
  });

  const endings = {
    'lab/stop': 'stop',
    'lab/length': 'length',
    'lab/full': 'length',
    'lab/filter': 'content_filter',
    'lab/tools': 'tool_calls',
    'lab/said': 'tool_calls',
  };
  for (const [model, reason] of Object.entries(endings)) {
    test(`${model} ends with ${reason}, as JSON and as a stream`, async () => {
      const body = (await (await post({ ...basic, model })).json()) as {
        choices: { finish_reason: string; message: { content: string | null } }[];
      };
      assertMatches(RouterChatResponse, body, model);
      assert.equal(body.choices[0]?.finish_reason, reason);
      assert.equal((await streamed({ ...basic, model })).at(-1)?.choices[0]?.finish_reason, reason);
    });
  }

  test('content is null only where calls stand alone', async () => {
    const messageOf = async (model: string) => {
      const body = (await (await post({ ...basic, model })).json()) as {
        choices: { message: Record<string, unknown> }[];
      };
      return body.choices[0]?.message;
    };
    const calls = await messageOf('lab/tools');
    assert.equal(calls?.['content'], null);
    assert.deepEqual(calls['tool_calls'], [
      { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"a":1}' } },
      { id: 'call_2', type: 'function', function: { name: 'weather', arguments: '{}' } },
    ]);
    assert.equal((await messageOf('lab/said'))?.['content'], 'I look.');
    assert.equal((await messageOf('lab/filter'))?.['content'], '');
  });
});

suite('chat completions as a stream', () => {
  test('the first delta has the role, the last one the reason; usage comes only when it is asked for', async () => {
    const chunks = await streamed(basic);
    assert.equal(new Set(chunks.map(({ id, created }) => `${id} ${created}`)).size, 1);
    for (const { object, model } of chunks) {
      assert.deepEqual([object, model], ['chat.completion.chunk', 'lab/echo']);
    }
    assert.deepEqual(
      chunks.map(({ choices: [choice] }) => [choice?.delta, choice?.finish_reason]),
      [
        [{ role: 'assistant', content: '', refusal: null }, null],
        [{ content: 'Hel' }, null],
        [{ content: 'lo' }, null],
        [{}, 'stop'],
      ],
    );
    const more = await streamed({ ...basic, stream_options: { include_usage: true } });
    assert.equal(more.length, chunks.length + 1);
    assert.deepEqual(more.at(-1)?.choices, []);
    assert.equal((more.at(-1)?.usage as { total_tokens: number } | undefined)?.total_tokens, 21);
  });

  test('pieces of calls carry their index; id and name come once', async () => {
    const deltas = (await streamed({ ...basic, model: 'lab/tools' })).flatMap(
      ({ choices: [choice] }) => (choice?.delta['tool_calls'] as object[] | undefined) ?? [],
    );
    const open = (index: number, id: string) => ({
      index,
      id,
      type: 'function',
      function: { name: 'weather', arguments: '' },
    });
    assert.deepEqual(deltas, [
      open(0, 'call_1'),
      open(1, 'call_2'),
      { index: 1, function: { arguments: '{}' } },
      { index: 0, function: { arguments: '{"a"' } },
      { index: 0, function: { arguments: ':1}' } },
    ]);
  });

  test('that breaks off ends with the error and no reason to believe that it ended', async () => {
    const response = await post({ ...basic, model: 'lab/cut', stream: true });
    const wire = await response.text();
    assert.ok(!wire.includes('"finish_reason":"'));
    const received = JSON.parse(wire.split('\n\n').at(-3)?.slice('data: '.length) ?? '') as object;
    assert.deepEqual(received, {
      error: {
        message: 'The backend gave an unusable answer.',
        type: 'bad_gateway',
        code: 502,
        param: null,
      },
    });
    assert.ok(wire.endsWith('data: [DONE]\n\n'));
    assert.equal(router.records.at(-1)?.billing?.outputTokens, 1);
  });
});

suite('chat completions as a request', () => {
  test('what a model is asked is what the caller wrote', async () => {
    const body = {
      ...basic,
      messages: [
        { role: 'system', content: 'Be short.' },
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'Be' },
            { type: 'text', text: 'kind.' },
          ],
        },
        {
          role: 'user',
          name: 'ann',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}`, detail: 'low' } },
            { type: 'image_url', image_url: `data:image/jpeg;base64,${pixel}` },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } },
            { id: 'c2', type: 'function', function: { name: 'time', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c2', content: 'noon' },
        { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'rain' }] },
      ],
      max_completion_tokens: 9,
      temperature: 1.5,
      top_p: null,
      stop: 'END',
      tools: [tool],
      tool_choice: { type: 'function', function: { name: 'weather' } },
      parallel_tool_calls: false,
      response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
      seed: 4,
      presence_penalty: 1,
      frequency_penalty: -1,
      reasoning_effort: 'low',
      user: 'u',
      n: 1,
      logprobs: true,
      unknown: { a: 1 },
    };
    const response = await post(body);
    assert.equal(response.status, 200, await response.text());
    assert.deepEqual(lastRequest(), {
      system: ['Be short.', 'Be\nkind.'],
      turns: [
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'a' },
            { type: 'image', mediaType: 'image/png', base64: pixel },
            { type: 'image', mediaType: 'image/jpeg', base64: pixel },
          ],
        },
        {
          role: 'assistant',
          parts: [
            { type: 'tool-call', id: 'c1', name: 'weather', arguments: '{}' },
            { type: 'tool-call', id: 'c2', name: 'time', arguments: '{}' },
          ],
        },
        {
          role: 'tool',
          results: [
            { callId: 'c2', name: 'time', parts: [{ type: 'text', text: 'noon' }], isError: false },
            { callId: 'c1', name: 'weather', parts: [{ type: 'text', text: 'rain' }], isError: false },
          ],
        },
      ],
      tools: [{ name: 'weather', description: null, parameters: { type: 'object' }, strict: false }],
      toolChoice: { name: 'weather' },
      parallelToolCalls: false,
      format: {
        type: 'json-schema',
        name: 'schema',
        schema: { type: 'object' },
        description: null,
        strict: true,
      },
      outputTokensMax: 9,
      stop: ['END'],
      temperature: 1.5,
      topP: null,
      topK: null,
      presencePenalty: 1,
      frequencyPenalty: -1,
      seed: 4,
      effort: 'low',
      account: 'default',
      whole: true,
    });
  });

  const user = (...content: object[]) => ({ messages: [{ role: 'user', content }] });
  const png = (url: string) => user({ type: 'image_url', image_url: { url } });
  const refusals: readonly (readonly [string, object, string])[] = [
    ['no model', { model: undefined }, 'model'],
    ['an unknown model', { model: 'lab/none' }, 'model'],
    ['a model that the router does not serve', { model: 'lab/hidden' }, 'model'],
    ['no messages', { messages: [] }, 'messages'],
    ['another role', { messages: [{ role: 'function', content: 'x' }] }, 'messages.0.role'],
    ['an unknown part', user({ type: 'input_audio' }), 'messages.0.content.0.type'],
    ['an image by address', png('https://example.com/a.png'), 'messages.0.content.0.image_url'],
    ['an image of another type', png('data:image/tiff;base64,AAAA'), 'messages.0.content.0.image_url'],
    ['an image that is no base64', png('data:image/png;base64,a b'), 'messages.0.content.0.image_url'],
    [
      'a result without its call',
      { messages: [{ role: 'tool', tool_call_id: 'a', content: 'x' }] },
      'messages.0.tool_call_id',
    ],
    ['max_tokens 0', { max_tokens: 0 }, 'max_tokens'],
    ['two limits that differ', { max_tokens: 1, max_completion_tokens: 2 }, 'max_tokens'],
    ['temperature 2.1', { temperature: 2.1 }, 'temperature'],
    ['top_p 1.1', { top_p: 1.1 }, 'top_p'],
    ['presence_penalty 3', { presence_penalty: 3 }, 'presence_penalty'],
    ['an empty stop', { stop: '' }, 'stop'],
    ['n 2', { n: 2 }, 'n'],
    [
      'a choice of an absent tool',
      { tool_choice: { type: 'function', function: { name: 'x' } } },
      'tool_choice.function.name',
    ],
    ['a required tool of none', { tool_choice: 'required' }, 'tool_choice'],
    ['another kind of tool', { tools: [{ type: 'web_search' }] }, 'tools.0.type'],
    ['another format', { response_format: { type: 'regex' } }, 'response_format.type'],
    [
      'a format without schema',
      { response_format: { type: 'json_schema', json_schema: {} } },
      'response_format.json_schema.schema',
    ],
    ['an unknown effort', { reasoning_effort: 'huge' }, 'reasoning_effort'],
    ['tools for a model without', { model: 'lab/plain', tools: [tool] }, 'tools'],
  ];
  for (const [about, more, param] of refusals) {
    test(`${about} is 400 and names ${param}`, async () => {
      const asked = models.requests.length;
      const response = await post({ ...basic, ...more });
      const { error } = (await response.json()) as { error: Record<string, unknown> };
      assert.equal(response.status, 400);
      assert.deepEqual([error['type'], error['code'], error['param']], ['invalid_request_error', 400, param]);
      assert.equal(models.requests.length, asked, 'no model was asked');
    });
  }

  test('backends that are busy are 503 with a wait, broken ones 502', async () => {
    const busy = await post({ ...basic, model: 'lab/busy' });
    assert.equal(busy.status, 503);
    assert.equal(busy.headers.get('retry-after'), '2');
    assert.equal(busy.headers.get('request-id'), busy.headers.get('x-request-id'));
    await busy.text();
    const broken = await post({ ...basic, model: 'lab/broken', stream: true });
    assert.equal(broken.status, 502);
    assert.deepEqual(Object.keys((await broken.json()) as object), ['error']);
    assert.equal(router.records.at(-1)?.billing, null);
  });
});
