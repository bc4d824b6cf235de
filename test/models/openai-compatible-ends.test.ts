import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { chunk, cut, data, done, hang, usageChunk } from '../support/upstream-chat.ts';
import { openChat } from './chat-backend.ts';
import { call, end, fail, fn, read, text } from './chat-reading.ts';
import { backendSecret, collect, firstModel } from './suite.ts';

suite('ends of hostile streams', () => {
  test('usage counts in each chunk, after the end, in a chunk of its own or of Groq', async (t) => {
    const usage = (output: number) => ({
      usage: { prompt_tokens: 5, completion_tokens: output, total_tokens: 5 + output },
    });
    const shapes = [
      [chunk({ content: 'a' }, null, usage(1)), chunk({ content: 'b' }, 'stop', usage(2)), done],
      [text('ab'), chunk({}, 'stop'), chunk({}, null, usage(2)), done],
      [text('ab'), chunk({}, 'stop', usage(2)), done],
      [text('ab'), chunk({}, 'stop', { usage: null, x_groq: usage(2) }), done],
      [text('ab'), chunk({}, 'stop'), chunk({ content: '' }, 'stop', usage(2)), done],
    ];
    for (const steps of shapes) {
      const answer = await read(t, steps);
      assert.deepEqual([answer.text, answer.usage.input, answer.usage.output], ['ab', 5, 2]);
      assert.equal(answer.events.filter(({ type }) => type === 'usage').length, 1);
    }
  });

  test('without usage the tokens are estimated', async (t) => {
    const { usage } = await read(t, [text('The kea is a parrot of New Zealand.'), chunk({}, 'stop'), done]);
    assert.ok(usage.output >= 7 && usage.output <= 20);
    assert.ok(usage.input > 5);
  });

  test('one of [DONE] and a reason is enough', async (t) => {
    for (const steps of [
      [text('a'), done],
      [text('a'), chunk({}, 'stop')],
      [text('a'), chunk({}, 'stop').trimEnd()],
      [text('a'), 'data: [DONE]'],
    ]) {
      const answer = await read(t, steps);
      assert.deepEqual([answer.text, answer.reason], ['a', 'end']);
    }
  });

  test('a stream that ends with neither is broken, also when it ends inside a chunk', async (t) => {
    assert.equal(await fail(t, [text('a')]), 'bad_gateway');
    assert.equal(await fail(t, [text('a'), text('b').slice(0, 40)]), 'bad_gateway');
    assert.equal(await fail(t, [': ping\n\n']), 'bad_gateway');
    assert.equal(await fail(t, { steps: [] }), 'bad_gateway');
  });

  test('a connection that is cut is a failure, unless the model had said that it was done', async (t) => {
    assert.equal(await fail(t, [text('a'), cut]), 'bad_gateway');
    assert.equal(await fail(t, [call({ index: 0, id: 'a', ...fn('{"x"', 'f') }), cut]), 'bad_gateway');
    assert.equal((await read(t, [text('a'), chunk({}, 'stop'), cut])).text, 'a');
  });

  test('text and calls after a reason are kept, the last reason rules, and [DONE] is the end', async (t) => {
    const answer = await read(t, [
      text('a'),
      chunk({}, 'length'),
      text('late'),
      chunk({}, 'stop'),
      usageChunk(9, 3),
      done,
      done,
      text('later'),
    ]);
    assert.deepEqual([answer.text, answer.reason], ['alate', 'end']);
    const called = await read(t, [
      text('a'),
      chunk({}, 'stop'),
      chunk({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'f', arguments: '{"a":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
      chunk({ tool_calls: [{ index: 1, id: 'c2', function: { name: 'g' } }] }, 'stop'),
      text(' b'),
      done,
    ]);
    assert.deepEqual(
      [called.text, called.reason, called.calls.map(({ name, arguments: args }) => [name, args])],
      [
        'a b',
        'tool-calls',
        [
          ['f', '{"a":1}'],
          ['g', '{}'],
        ],
      ],
    );
  });

  test('reasons of other servers are understood', async (t) => {
    const expected = {
      function_call: 'end',
      max_tokens: 'length',
      model_length: 'context-full',
      content_filter: 'content-filter',
      eos: 'end',
      tool_calls: 'end',
    };
    for (const [wire, reason] of Object.entries(expected)) {
      assert.equal((await read(t, [chunk({ content: 'a' }, wire), done])).reason, reason, wire);
    }
  });

  test('an error inside the stream is one, in every shape', async (t) => {
    const shapes = [
      data({ error: { message: backendSecret, type: 'server_error', code: null } }),
      data({ object: 'error', message: backendSecret, type: 'BadRequestError', code: 400 }),
      data({ error: backendSecret }),
      `event: error\ndata: {"message":"${backendSecret}"}\n\n`,
      chunk({ content: '' }, 'error', { error: { code: 502, message: backendSecret } }),
      chunk({ content: '' }, 'error'),
      chunk({}, 'insufficient_system_resource'),
      'data: not json\n\n',
      'data: 7\n\n',
    ];
    for (const shape of shapes) {
      assert.equal(await fail(t, [text('a'), shape, done]), 'bad_gateway', shape);
      assert.equal(await fail(t, [shape, done]), 'bad_gateway', shape);
    }
    assert.equal(
      await fail(t, [data({ error: { code: 429, message: backendSecret } })]),
      'service_unavailable',
    );
    const overflow = { code: 'context_length_exceeded', message: backendSecret };
    assert.equal(await fail(t, [data({ error: overflow })]), 'context_length_exceeded');
    assert.equal((await read(t, [chunk({ content: 'a' }, null, { error: null }), ...end])).text, 'a');
  });

  test('pages and other JSON with status 200 are refused', async (t) => {
    assert.equal(await fail(t, [`<html>${backendSecret}</html>`]), 'bad_gateway');
    assert.equal(await fail(t, [JSON.stringify({ error: { message: backendSecret } })]), 'bad_gateway');
    assert.equal(await fail(t, [JSON.stringify([{ error: { message: backendSecret } }])]), 'bad_gateway');
    assert.equal(await fail(t, ['{"choices":[]', cut]), 'bad_gateway');
    assert.equal(await fail(t, ['{"models":[]}']), 'bad_gateway');
    assert.equal(await fail(t, [`${backendSecret}\n\n`]), 'bad_gateway');
  });

  test('a server that stalls is a timeout, comments or not', async (t) => {
    assert.equal(await fail(t, [text('a'), hang], 150), 'gateway_timeout');
    assert.equal(await fail(t, [': ping\n\n', hang], 150), 'gateway_timeout');
  });

  test('passes on stop sequences that the server reports', async (t) => {
    for (const report of [{ stop_reason: 'END' }, { matched_stop: 'END' }]) {
      const last = data({
        choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop', ...report }],
      });
      const answer = await read(t, [text('a '), last, done], { stop: ['END'] });
      assert.deepEqual([answer.text, answer.reason, answer.stopSequence], ['a ', 'stop-sequence', 'END']);
    }
    const natural = data({
      choices: [{ index: 0, delta: {}, finish_reason: 'stop', matched_stop: 151_645 }],
    });
    assert.equal((await read(t, [text('a'), natural, done], { stop: ['END'] })).reason, 'end');
  });

  test('a stop sequence that we find closes the connection; a whole answer keeps it', async (t) => {
    const stopped = await read(t, [text('a END b'), hang], { stop: ['END'] });
    assert.deepEqual([stopped.text, stopped.stopSequence], ['a ', 'END']);
    await stopped.server.idle();
    const { provider, server } = await openChat(t, () => [text('a'), ...end]);
    for (let i = 0; i < 5; i++) {
      await collect(firstModel(provider));
      await server.idle();
    }
    assert.ok(server.connections() <= 2, 'connections are used again');
  });
});
