import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/kernel/kit/json.ts';
import type { Model, ModelEvent } from '../../src/features/models/model.ts';
import { collect, faultOf as anyFaultOf, plainRequest, everythingIn as everythingOf } from './suite.ts';
import { cut, hang, type WireAnswer, type WireStep } from '../support/upstream-chat.ts';
import {
  emptyText,
  endMessage,
  event,
  inputDelta,
  json,
  ping,
  startBlock,
  startMessage,
  stopBlock,
  stopMessage,
  textAnswer,
  textDelta,
  upstreamWords,
} from '../support/upstream-messages.ts';
import { answer, answering } from '../support/upstream-messages-model.ts';

const tool = (name: string, input: JsonObject = {}): JsonObject => ({
  type: 'tool_use',
  id: 'toolu_1',
  name,
  input,
});

/** Nothing that the server wrote is in the fault, nor in what caused it. */
async function faultOf(work: Promise<unknown>) {
  const fault = await anyFaultOf(work);
  assert.ok(!everythingOf(fault).includes(upstreamWords), everythingOf(fault));
  return fault;
}

/** Reads a stream; `received` keeps what came before it threw. */
async function readAll(model: Model, received: ModelEvent[]): Promise<void> {
  const { signal } = new AbortController();
  for await (const batch of model.stream(plainRequest, signal)) received.push(...batch);
}

test('usage that only the start reports stands; null leaves the count before', async (t) => {
  const start = {
    input_tokens: 100,
    output_tokens: 7,
    cache_read_input_tokens: 30,
    cache_creation_input_tokens: 20,
  };
  const expected = { input: 100, output: 7, cacheRead: 30, cacheWrite: 20, reasoning: 0 };
  const body = [startBlock(0, emptyText), textDelta(0, 'x'), stopBlock(0)];
  const nulls = { input_tokens: null, output_tokens: null, cache_read_input_tokens: null };
  for (const usage of [null, {}, nulls]) {
    const received = await answer(t, [
      startMessage(start),
      ...body,
      endMessage('end_turn', null, usage),
      stopMessage,
    ]);
    assert.deepEqual(received.usage, expected);
  }
  const later = { input_tokens: 101, output_tokens: 9, cache_read_input_tokens: 31 };
  const received = await answer(t, [
    startMessage(start),
    ...body,
    endMessage('end_turn', null, later),
    stopMessage,
  ]);
  assert.deepEqual(received.usage, { ...expected, input: 101, output: 9, cacheRead: 31 });
});

test('without any usage there is an estimate', async (t) => {
  const pieces = [textDelta(0, 'Hello there, world.'), endMessage('end_turn', null, null), stopMessage];
  const { usage } = await answer(t, pieces);
  assert.ok(usage.input > 0 && usage.output > 0, JSON.stringify(usage));
});

test('each reason to stop has its own word', async (t) => {
  const words = {
    end_turn: 'end',
    pause_turn: 'end',
    max_tokens: 'length',
    refusal: 'content-filter',
    model_context_window_exceeded: 'context-full',
    something_new: 'end',
  };
  for (const [word, expected] of Object.entries(words)) {
    const { reason } = await answer(t, [startMessage(), textDelta(0, 'x'), endMessage(word), stopMessage]);
    assert.equal(reason, expected, word);
  }
});

test('reports the stop sequence that the server found', async (t) => {
  const received = await answer(t, [
    startMessage(),
    textDelta(0, 'a'),
    endMessage('stop_sequence', 'END'),
    stopMessage,
  ]);
  assert.deepEqual([received.reason, received.stopSequence], ['stop-sequence', 'END']);
});

test('a stop sequence that the server overlooks ends the text all the same', async (t) => {
  const reply = textAnswer('one E', 'N', 'D two');
  const received = await collect(await answering(t, reply), { stop: ['END', '\n\n'] });
  assert.equal(received.text, 'one ');
  assert.deepEqual([received.reason, received.stopSequence], ['stop-sequence', 'END']);
  assert.ok(received.usage.input === 10);
});

test('what looks like the beginning of a stop sequence is emitted once it is none', async (t) => {
  const received = await collect(await answering(t, textAnswer('a EN')), { stop: ['END'] });
  assert.deepEqual([received.text, received.reason], ['a EN', 'end']);
});

test('an answer is whole without message_stop, once a reason to stop came', async (t) => {
  const pieces = [startMessage(), textDelta(0, 'Hello'), endMessage('end_turn')];
  assert.equal((await answer(t, pieces)).reason, 'end');
  assert.equal((await answer(t, [...pieces, cut])).reason, 'end');
});

test('an answer is whole without a reason to stop, once message_stop came', async (t) => {
  const text = await answer(t, [startMessage(), textDelta(0, 'Hello'), endMessage(null), stopMessage]);
  assert.deepEqual([text.text, text.reason], ['Hello', 'end']);
  const call = await answer(t, [startMessage(), startBlock(0, tool('weather')), stopBlock(0), stopMessage]);
  assert.deepEqual([call.calls.length, call.reason], [1, 'tool-calls']);
  assert.equal(call.events.at(-1)?.type, 'finish');
});

test('a stream that breaks off or ends early throws and never finishes', async (t) => {
  const begun = [startMessage(), startBlock(0, emptyText), textDelta(0, 'Hel')];
  const ends: readonly (readonly WireStep[])[] = [
    [...begun, cut],
    begun,
    [...begun, 'data: {"type":"content_bl'],
    [startMessage()],
  ];
  for (const pieces of ends) {
    const received: ModelEvent[] = [];
    const fault = await faultOf(readAll(await answering(t, { steps: pieces }), received));
    assert.equal(fault.code, 'bad_gateway');
    assert.ok(received.every(({ type }) => type !== 'finish'));
  }
});

test('a stream that falls silent is a gateway timeout', async (t) => {
  const model = await answering(t, { steps: [startMessage(), textDelta(0, 'Hel'), hang] }, 100);
  assert.equal((await faultOf(collect(model))).code, 'gateway_timeout');
});

test('an error in the stream is unavailable before the first output and a bad gateway after it', async (t) => {
  const busy = event({ type: 'error', error: { type: 'overloaded_error', message: upstreamWords } });
  const early = await faultOf(answer(t, [startMessage(), ping, busy]));
  assert.equal(early.code, 'service_unavailable');
  const received: ModelEvent[] = [];
  const late = await answering(t, { steps: [startMessage(), textDelta(0, 'Hel'), busy, stopMessage] });
  assert.equal((await faultOf(readAll(late, received))).code, 'bad_gateway');
  assert.deepEqual(
    received.map(({ type }) => type),
    ['usage', 'text-delta'],
  );
  // What came in one packet with the error was never emitted.
  const together = [startMessage() + textDelta(0, 'Hel') + busy];
  assert.equal((await faultOf(answer(t, together))).code, 'service_unavailable');
  const bare = `data: ${JSON.stringify({ error: { message: upstreamWords } })}\n\n`;
  assert.equal((await faultOf(answer(t, [bare]))).code, 'bad_gateway');
});

test('a message that comes whole as JSON is read like a stream', async (t) => {
  const message = {
    type: 'message',
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'text', text: 'Hello' },
      tool('weather', { city: 'Bern' }),
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 4 },
  };
  const received = await collect(await answering(t, json(message)));
  assert.deepEqual([received.text, received.reasoning, received.reason], ['Hello', 'Hm.', 'tool-calls']);
  assert.equal(received.calls[0]?.arguments, '{"city":"Bern"}');
  assert.deepEqual(received.usage, { input: 3, output: 4, cacheRead: 0, cacheWrite: 0, reasoning: 0 });
});

test('what is no message at all is a bad gateway', async (t) => {
  const html = `<!doctype html><title>${upstreamWords}</title>`;
  const replies: readonly WireAnswer[] = [
    { headers: { 'content-type': 'text/html' }, steps: [html] },
    { steps: [] },
    { steps: [`data: ${upstreamWords}\n\n`] },
    json({ note: upstreamWords }),
    json([upstreamWords]),
    { headers: { 'content-type': 'application/json' }, steps: ['{"type":"mess'] },
    { headers: { 'content-type': 'application/json' }, steps: ['{"type":"mess', cut] },
    json({ type: 'error', error: { type: 'api_error', message: upstreamWords } }),
  ];
  for (const reply of replies)
    assert.equal((await faultOf(collect(await answering(t, reply)))).code, 'bad_gateway');
});

const schema = { type: 'object', properties: { a: { type: 'integer' } } };
const structured = {
  format: { type: 'json-schema', name: 'thing', schema, description: null, strict: true },
} as const;

test('an answer that is the input of a tool is emitted as text, and what stands beside it is not', async (t) => {
  const pieces = [
    startMessage(),
    startBlock(0, emptyText),
    textDelta(0, 'Here you are:'),
    stopBlock(0),
    startBlock(1, tool('give_answer')),
    inputDelta(1, '{"a"'),
    inputDelta(1, ':1}'),
    stopBlock(1),
    endMessage('tool_use'),
    stopMessage,
  ];
  const received = await answer(t, pieces, structured);
  assert.deepEqual([received.text, received.calls, received.reason], ['{"a":1}', [], 'end']);
});

test('a server that answers in text where a tool was asked for is still heard', async (t) => {
  const received = await collect(await answering(t, textAnswer('{"a"', ':2}')), structured);
  assert.deepEqual([received.text, received.reason], ['{"a":2}', 'end']);
});
