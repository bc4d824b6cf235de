import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { parseMessageEvents, readMessageEvents } from '../support/messages-grammar.ts';
import { finish, says, scriptedModels, text, type Batch } from '../support/models.ts';
import { startRouter } from '../support/router.ts';
import { basic, openMessagesRouter, type ErrorBody } from './router.fixture.ts';
import { until } from '../support/until.ts';

/** Contract 14.4 over models in memory. */

const router = await openMessagesRouter({ after });
const { refused, streamed } = router;

suite('a messages stream', () => {
  test('that breaks off ends with the error event, and what was delivered is billed', async () => {
    const read = await streamed({ ...basic, model: 'lab/cut' });
    const received = read.error as unknown as ErrorBody;
    assert.deepEqual(Object.keys(received), ['type', 'error', 'request_id']);
    assert.deepEqual(received.error, {
      message: 'The backend gave an unusable answer.',
      type: 'api_error',
      code: 502,
      param: null,
    });
    assert.equal(read.content[0]?.['text'], 'part of it');
    const billing = router.records.at(-1)?.billing;
    assert.equal(billing?.outputTokens, 3);
    assert.ok(billing.inputTokens > 0);
  });

  test('that fails before any output is a plain error', async () => {
    assert.equal((await refused({ ...basic, model: 'lab/broken', stream: true }, 502)).type, 'api_error');
    assert.equal(
      (await refused({ ...basic, model: 'lab/busy', stream: true }, 429)).type,
      'overloaded_error',
    );
  });

  test('of calls whose pieces alternate sends one block after the other', async (t) => {
    const piece = (id: string, json: string): Batch => [{ type: 'tool-call-delta', id, arguments: json }];
    const interleaved = scriptedModels({
      'a/b': says(
        [
          { type: 'tool-call-start', id: 'one', name: 'a' },
          { type: 'tool-call-start', id: 'two', name: 'b' },
        ],
        piece('two', '{"x"'),
        piece('one', '{"y"'),
        piece('two', ':2}'),
        [text('aside')],
        [{ type: 'tool-call-end', id: 'two' }],
        piece('one', ':1}'),
        [{ type: 'tool-call-end', id: 'one' }],
        finish('tool-calls'),
      ),
    });
    const { post: send } = await startRouter(t, { models: interleaved });
    const response = await send('/v1/messages', { ...basic, model: 'a/b', stream: true });
    const { content } = readMessageEvents(parseMessageEvents(await response.text()));
    assert.deepEqual(
      content.map((block) => [block['name'] ?? null, block['input'] ?? block['text']]),
      [
        ['a', '{"y":1}'],
        ['b', '{"x":2}'],
        [null, 'aside'],
      ],
    );
    const whole = (await (await send('/v1/messages', { ...basic, model: 'a/b' })).json()) as {
      content: Record<string, unknown>[];
    };
    assert.deepEqual(
      whole.content.map((block) => block['input'] ?? block['text']),
      [{ y: 1 }, { x: 2 }, 'aside'],
    );
  });

  test('sends no thinking', async () => {
    const read = await streamed({ ...basic, model: 'lab/thinks' });
    assert.deepEqual(read.content, [{ type: 'text', text: 'done', citations: null }]);
  });

  test('stops the model when its client leaves', async (t) => {
    const gone = Promise.withResolvers<void>();
    const endless = scriptedModels({
      'a/b': async function* answer(_request, signal) {
        signal.addEventListener('abort', () => gone.resolve());
        for (;;) {
          yield [text('x')];
          await new Promise((resolve) => setImmediate(resolve));
          signal.throwIfAborted();
        }
      },
    });
    const { post: ask, records } = await startRouter(t, { models: endless });
    const leave = new AbortController();
    const response = await ask(
      '/v1/messages',
      { ...basic, model: 'a/b', stream: true },
      { signal: leave.signal, headers: { 'x-api-key': router.key } },
    );
    const reader = response.body?.getReader();
    await reader?.read();
    leave.abort();
    await gone.promise;
    await until(() => records.length > 0);
    assert.equal(records[0]?.fault?.code, 'client_closed');
    assert.ok((records[0]?.billing?.outputTokens ?? 0) > 0, 'what was delivered is billed');
  });
});
