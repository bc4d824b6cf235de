import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { MessagesResponse } from '../../src/features/router/wire/messages/schema.ts';
import { call, finish, says, scriptedModels } from '../support/models.ts';
import { startRouter } from '../support/router.ts';
import { assertMatches } from '../support/strict.ts';
import {
  basic,
  image,
  lastRequest,
  models,
  openMessagesRouter,
  pixel,
  tool,
  type ErrorBody,
} from './router.fixture.ts';

/** Contract 14.1 and 14.3 over models in memory. */

const router = await openMessagesRouter({ after });
const { ask, refused, streamed } = router;

suite('messages as JSON', () => {
  test('an answer has every key of the schema, the name as sent and the tokens that were reported', async () => {
    for (const model of ['lab/echo', 'alias/echo']) {
      const response = await ask({ ...basic, model });
      assert.equal(response.status, 200);
      const body = (await response.json()) as Record<string, unknown>;
      assertMatches(MessagesResponse, body, model);
      assert.equal(body['model'], model);
      assert.deepEqual(body['content'], [{ type: 'text', text: 'Hello there', citations: null }]);
      assert.equal(body['stop_reason'], 'end_turn');
      assert.deepEqual(body['usage'], {
        input_tokens: 11,
        output_tokens: 5,
        cache_creation_input_tokens: 2,
        cache_read_input_tokens: 3,
        cache_creation: null,
        server_tool_use: null,
        service_tier: null,
      });
      const billing = router.records.at(-1)?.billing;
      assert.equal(billing?.model, 'lab/echo');
      assert.equal(billing.inputTokens, 16);
      assert.equal(billing.outputTokens, 5);
      assert.deepEqual(billing.costParts, {
        input: 11e-6,
        output: 10e-6,
        cacheRead: 1.5e-6,
        cacheWrite: 3e-6,
      });
    }
  });

  const endings: readonly (readonly [string, string, object?])[] = [
    ['lab/echo', 'end_turn'],
    ['lab/tools', 'tool_use'],
    ['lab/stop', 'stop_sequence', { stop_sequences: ['END', 'x'] }],
    ['lab/length', 'max_tokens'],
    ['lab/filter', 'refusal'],
    ['lab/full', 'model_context_window_exceeded'],
  ];
  for (const [model, reason, more = {}] of endings) {
    test(`${model} ends with ${reason}, the same as JSON and as a stream`, async () => {
      const body = { ...basic, model, ...more };
      const whole = (await (await ask(body)).json()) as Record<string, unknown>;
      assertMatches(MessagesResponse, whole, model);
      const read = await streamed(body);
      assert.equal(whole['stop_reason'], reason);
      assert.equal(read.stopReason, reason);
      assert.equal(whole['stop_sequence'], reason === 'stop_sequence' ? 'END' : null);
      assert.equal(read.stopSequence, whole['stop_sequence']);
      assert.equal((whole['content'] as unknown[]).length, read.content.length);
    });
  }

  test('with one stop sequence it is known which one ended the text, with two it is not', async () => {
    const ask = async (stop_sequences: string[]) =>
      (await streamed({ ...basic, model: 'lab/stop-untold', stop_sequences })).stopSequence;
    assert.equal(await ask(['END']), 'END');
    assert.equal(await ask(['END', 'FIN']), null);
  });

  test('of a name that stands twice in arguments the last counts, as for every client', async () => {
    const body = { ...basic, model: 'lab/twice', tools: [tool] };
    const whole = (await (await ask(body)).json()) as { content: { input: object }[] };
    assert.deepEqual(whole.content[0]?.input, { city: 'Basel' });
    assert.equal((await streamed(body)).stopReason, 'tool_use');
  });

  test('calls come in order with their arguments as objects, and their ids lead back', async () => {
    const body = (await (await ask({ ...basic, model: 'lab/tools', tools: [tool] })).json()) as {
      content: { type: string; id: string; name: string; input: object }[];
    };
    assert.deepEqual(
      body.content.map(({ type, input }) => [type, input]),
      [
        ['text', undefined],
        ['tool_use', { city: 'Bern' }],
        ['tool_use', {}],
      ],
    );
    const [, first, second] = body.content;
    assert.ok(first && second);
    assert.notEqual(first.id, second.id);
    const results = [
      { type: 'text', text: 'here' },
      { type: 'tool_result', tool_use_id: first.id, content: 'rain' },
      {
        type: 'tool_result',
        tool_use_id: second.id,
        content: [{ type: 'text', text: 'no city' }, image],
        is_error: true,
      },
    ];
    const messages = [
      ...basic.messages,
      { role: 'assistant', content: body.content },
      { role: 'user', content: results },
    ];
    assert.equal((await ask({ ...basic, tools: [tool], messages })).status, 200);
    const { turns } = lastRequest();
    assert.deepEqual(
      turns.map(({ role }) => role),
      ['user', 'assistant', 'tool', 'user'],
    );
    assert.deepEqual(turns[2], {
      role: 'tool',
      results: [
        { callId: first.id, name: 'weather', parts: [{ type: 'text', text: 'rain' }], isError: false },
        {
          callId: second.id,
          name: 'weather',
          parts: [
            { type: 'text', text: 'no city' },
            { type: 'image', mediaType: 'image/png', base64: pixel },
          ],
          isError: true,
        },
      ],
    });
  });

  test('a signature of a model comes back to it with the result of its call, on both interfaces', async (t) => {
    const signed = scriptedModels({
      'a/b': says(
        [
          { type: 'tool-call-start', id: 'c', name: 'weather', signature: 'thought' },
          ...call('c', 'weather', '{}').slice(1),
        ],
        finish('tool-calls'),
      ),
    });
    const { post } = await startRouter(t, { models: signed });
    const body = { ...basic, model: 'a/b', tools: [tool] };
    const signatureOf = () =>
      signed.requests
        .at(-1)
        ?.turns.flatMap((turn) =>
          turn.role === 'assistant'
            ? turn.parts.flatMap((part) => ('signature' in part ? part.signature : []))
            : [],
        );
    const received = (await (await post('/v1/messages', body)).json()) as { content: { id: string }[] };
    const result = { type: 'tool_result', tool_use_id: received.content[0]?.id, content: 'rain' };
    const messages = [
      ...basic.messages,
      { role: 'assistant', content: received.content },
      { role: 'user', content: [result] },
    ];
    assert.equal((await post('/v1/messages', { ...body, messages })).status, 200);
    assert.deepEqual(signatureOf(), ['thought']);

    const path = '/router/v1/chat/completions';
    const asked = { model: 'a/b', messages: basic.messages };
    const wire = await (await post(path, { ...asked, stream: true })).text();
    const id = /"id":"(?<id>call_[0-9A-Za-z]{24})"/.exec(wire)?.groups?.['id'];
    const calls = [{ id, type: 'function', function: { name: 'weather', arguments: '{}' } }];
    const more = [
      { role: 'assistant', tool_calls: calls },
      { role: 'tool', tool_call_id: id, content: 'rain' },
    ];
    assert.equal((await post(path, { ...asked, messages: [...basic.messages, ...more] })).status, 200);
    assert.deepEqual(signatureOf(), ['thought']);
  });

  test('arguments that are no object, or cut, are no answer', async () => {
    for (const model of ['lab/garbage', 'lab/cut-call']) {
      const body = { ...basic, model };
      assert.equal((await refused(body, 502)).type, 'api_error');
      const read = await streamed(body);
      assert.equal((read.error as unknown as ErrorBody).error.type, 'api_error');
    }
  });

  test('numbers in the arguments of a call keep every digit, and blocks their order', async () => {
    for (const stream of [false, true]) {
      const wire = await (await ask({ ...basic, model: 'lab/digits', stream })).text();
      const digits = '{"id":12345678901234567890,"pi":3.14159265358979323846}';
      const received = stream ? '12345678901234567890' : `"input":${digits}`;
      assert.ok(wire.includes(received), wire);
      assert.ok(wire.indexOf('tool_use') < wire.indexOf('behind'));
    }
  });
});

suite('messages as a request', () => {
  test('what a model is asked is what the caller wrote', async () => {
    const body = {
      ...basic,
      system: [
        { type: 'text', text: 'Be short.' },
        { type: 'text', text: 'Be kind.' },
      ],
      temperature: 0.5,
      top_p: 0.9,
      stop_sequences: ['END'],
      metadata: { user_id: 'u' },
      tools: [{ ...tool, type: 'custom' }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      thinking: { type: 'disabled' },
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: [{ type: 'text', text: 'b', citations: null }, image] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'redacted_thinking', data: 'x' },
            { type: 'text', text: 'c' },
          ],
        },
        { role: 'assistant', content: 'prefill' },
      ],
    };
    assert.equal((await ask(body)).status, 200);
    assert.deepEqual(lastRequest(), {
      system: ['Be short.', 'Be kind.'],
      turns: [
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
            { type: 'image', mediaType: 'image/png', base64: pixel },
          ],
        },
        {
          role: 'assistant',
          parts: [
            { type: 'text', text: 'c' },
            { type: 'text', text: 'prefill' },
          ],
        },
      ],
      tools: [
        { name: 'weather', description: tool.description, parameters: { type: 'object' }, strict: false },
      ],
      toolChoice: 'required',
      parallelToolCalls: false,
      format: { type: 'text' },
      outputTokensMax: 64,
      stop: ['END'],
      temperature: 0.5,
      topP: 0.9,
      topK: null,
      presencePenalty: null,
      frequencyPenalty: null,
      seed: null,
      effort: 'none',
      account: 'default',
      whole: true,
    });
  });

  test('documents are handed on: text as text, PDF as it is', async () => {
    const content = [
      { type: 'document', title: 'Notes', source: { type: 'text', media_type: 'text/plain', data: 'plain' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg==' } },
    ];
    assert.equal((await ask({ ...basic, messages: [{ role: 'user', content }] })).status, 200);
    assert.deepEqual(lastRequest().turns[0]?.role === 'user' && lastRequest().turns[0], {
      role: 'user',
      parts: [
        { type: 'text', text: 'Notes\n\nplain' },
        { type: 'document', mediaType: 'application/pdf', base64: 'JVBERg==', title: null },
      ],
    });
  });

  test('count_tokens takes the same body without max_tokens and answers one number', async () => {
    const { max_tokens: _limit, ...body } = basic;
    for (const path of ['/router/v1', '/v1', '/router/v1/v1']) {
      const response = await ask({ ...body, system: 's', tools: [tool] }, `${path}/messages/count_tokens`);
      assert.equal(response.status, 200);
      assert.deepEqual(await response.json(), { input_tokens: 7 });
    }
    assert.equal((await refused(basic, 400, '/v1/messages/count_tokens')).param, 'max_tokens');
  });

  test('a model without reasoning gets no setting for it', async () => {
    assert.equal((await ask({ ...basic, model: 'lab/plain', thinking: { type: 'disabled' } })).status, 200);
    assert.equal(lastRequest().effort, null);
  });

  test('an address is read by the client that is handed in, and only over https', async (t) => {
    const seen: string[] = [];
    const other = await startRouter(t, {
      models,
      fetchMedia(address, mediaTypes) {
        seen.push(`${address} ${mediaTypes[0]}`);
        return Promise.resolve({ mediaType: 'image/png', base64: pixel });
      },
    });
    const source = { type: 'url', url: 'https://example.com/a.png' };
    const messages = [{ role: 'user', content: [{ type: 'image', source }] }];
    assert.equal((await other.post('/v1/messages', { ...basic, messages })).status, 200);
    assert.deepEqual(seen, ['https://example.com/a.png image/png']);
    assert.deepEqual(lastRequest().turns[0], {
      role: 'user',
      parts: [{ type: 'image', mediaType: 'image/png', base64: pixel }],
    });
  });
});
