import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/kernel/kit/json.ts';
import { collect } from './suite.ts';
import { type WireStep } from '../support/upstream-chat.ts';
import {
  delta,
  emptyText,
  endMessage,
  event,
  inputDelta,
  ping,
  startBlock,
  startMessage,
  stopBlock,
  stopMessage,
  textAnswer,
  textDelta,
} from '../support/upstream-messages.ts';
import { answer, answering } from '../support/upstream-messages-model.ts';

const tool = (input: JsonObject = {}, id = 'toolu_1', name = 'weather'): JsonObject => ({
  type: 'tool_use',
  id,
  name,
  input,
});
const toolEnd = [endMessage('tool_use'), stopMessage];

function cutInto(size: number, bytes: Buffer): Buffer[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, at * size + size));
}

test('a plain answer is emitted in its pieces, with usage, and ends once', async (t) => {
  const { text, usage, reason, stopSequence } = await collect(await answering(t, textAnswer('Hel', 'lo')));
  assert.equal(text, 'Hello');
  assert.deepEqual(usage, { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0 });
  assert.deepEqual([reason, stopSequence], ['end', null]);
});

test('an answer cut into pieces of three bytes is the same, through characters of four', async (t) => {
  const text = 'Grüße 🦉, 日本';
  const whole = Buffer.from(textAnswer(text).steps.join(''));
  assert.equal((await answer(t, cutInto(3, whole))).text, text);
});

test('lines that end with CRLF, without a space and with comments are read', async (t) => {
  const whole = textAnswer('a', 'b').steps.join(': comment\n\n');
  const crlf = whole.replaceAll('data: ', 'data:').replaceAll('\n', '\r\n');
  assert.equal((await answer(t, [crlf.slice(0, 300), crlf.slice(300)])).text, 'ab');
});

test('text that stands in the start of a block is part of the answer', async (t) => {
  const { text } = await answer(t, [
    startMessage(),
    startBlock(0, { type: 'text', text: 'Hel' }),
    textDelta(0, 'lo'),
    stopBlock(0),
    endMessage('end_turn'),
    stopMessage,
  ]);
  assert.equal(text, 'Hello');
});

test('text of a block that never started is part of the answer; input of such a block is not', async (t) => {
  const { text, calls, reason } = await answer(t, [
    startMessage(),
    textDelta(0, 'Hello'),
    inputDelta(4, '{"a":1}'),
    stopBlock(9),
    endMessage('tool_use'),
    stopMessage,
  ]);
  assert.equal(text, 'Hello');
  assert.deepEqual(calls, []);
  assert.equal(reason, 'end');
});

test('arguments cut inside tokens and characters are put together', async (t) => {
  const input = '{"city":"Zürich 🏔","days":[1,2]}';
  const bytes = Buffer.from(
    [
      startMessage(),
      startBlock(0, tool()),
      ...[...input].map((char) => inputDelta(0, char)),
      stopBlock(0),
      ...toolEnd,
    ].join(''),
  );
  const { calls, reason } = await answer(t, cutInto(7, bytes));
  assert.deepEqual(calls, [{ id: 'toolu_1', name: 'weather', arguments: input }]);
  assert.equal(reason, 'tool-calls');
});

test('a call without input has {} as its arguments', async (t) => {
  for (const pieces of [[], [inputDelta(0, '')], [inputDelta(0, ''), inputDelta(0, '')]]) {
    const { calls } = await answer(t, [
      startMessage(),
      startBlock(0, tool()),
      ...pieces,
      stopBlock(0),
      ...toolEnd,
    ]);
    assert.equal(calls[0]?.arguments, '{}');
  }
});

test('input that stands in the start of a block is emitted once, and gives way to pieces', async (t) => {
  const start = [startMessage(), startBlock(0, tool({ city: 'Bern' }))];
  const whole = await answer(t, [...start, stopBlock(0), ...toolEnd]);
  assert.equal(whole.calls[0]?.arguments, '{"city":"Bern"}');
  const pieces = await answer(t, [...start, inputDelta(0, '{"city":"Bern"}'), stopBlock(0), ...toolEnd]);
  assert.equal(pieces.calls[0]?.arguments, '{"city":"Bern"}');
});

test('interleaved blocks stay apart', async (t) => {
  const { text, calls } = await answer(t, [
    startMessage(),
    startBlock(0, emptyText),
    startBlock(1, tool({}, 'a', 'one')),
    startBlock(2, tool({}, 'b', 'two')),
    inputDelta(2, '{"b":'),
    textDelta(0, 'Look'),
    inputDelta(1, '{"a":1}'),
    inputDelta(2, '2}'),
    stopBlock(2),
    stopBlock(1),
    stopBlock(0),
    ...toolEnd,
  ]);
  assert.equal(text, 'Look');
  assert.deepEqual(
    calls.map((call) => [call.id, call.name, call.arguments]),
    [
      ['a', 'one', '{"a":1}'],
      ['b', 'two', '{"b":2}'],
    ],
  );
});

test('calls without an id, or with one that was taken, get their own', async (t) => {
  const { calls, events } = await answer(t, [
    startMessage(),
    startBlock(0, tool({}, '')),
    stopBlock(0),
    startBlock(1, tool({}, 'same')),
    stopBlock(1),
    startBlock(2, tool({}, 'same')),
    stopBlock(2),
    ...toolEnd,
  ]);
  assert.equal(new Set(calls.map(({ id }) => id)).size, 3);
  assert.ok(calls.every(({ id }) => id !== ''));
  assert.equal(events.filter(({ type }) => type === 'tool-call-end').length, 3);
});

test('pings, unknown events, unknown blocks and unknown deltas change nothing', async (t) => {
  const noise = [ping, event({ type: 'balloon', index: 0 }), 'event: ping\ndata: {}\n\n', 'data: []\n\n'];
  const pieces: readonly WireStep[] = textAnswer('Hel', 'lo').steps.flatMap((piece) => [...noise, piece]);
  const other = [
    startBlock(7, { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} }),
    inputDelta(7, '{"query":"x"}'),
    delta(7, { type: 'citations_delta', citation: {} }),
    stopBlock(7),
  ];
  const { text, calls, reason } = await answer(t, [...pieces.slice(0, 10), ...other, ...pieces.slice(10)]);
  assert.equal(text, 'Hello');
  assert.deepEqual(calls, []);
  assert.equal(reason, 'end');
});

test('the type inside the data decides, with or without a line for the event', async (t) => {
  const bare = textAnswer('Hello').steps.map((piece) => piece.replace(/^event: .*\n/, ''));
  assert.equal((await answer(t, bare)).text, 'Hello');
  const wrong = textAnswer('Hello').steps.map((piece) => piece.replace(/^event: .*\n/, 'event: error\n'));
  assert.equal((await answer(t, wrong)).text, 'Hello');
});

test('thinking is emitted as reasoning and goes along with the call after it', async (t) => {
  const { text, reasoning, usage, events } = await answer(t, [
    startMessage(),
    startBlock(0, { type: 'thinking', thinking: '', signature: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'Let me ' }),
    delta(0, { type: 'thinking_delta', thinking: 'see.' }),
    delta(0, { type: 'signature_delta', signature: 'c2ln' }),
    stopBlock(0),
    startBlock(1, { type: 'redacted_thinking', data: 'ZGF0YQ' }),
    stopBlock(1),
    startBlock(2, emptyText),
    textDelta(2, 'Looking.'),
    stopBlock(2),
    startBlock(3, tool()),
    stopBlock(3),
    endMessage('tool_use', null, { output_tokens: 40, output_tokens_details: { thinking_tokens: 25 } }),
    stopMessage,
  ]);
  assert.equal(reasoning, 'Let me see.');
  assert.deepEqual(
    events.filter(({ type }) => type === 'thought'),
    [
      { type: 'thought', text: 'Let me see.', signature: 'c2ln' },
      { type: 'thought', text: null, signature: 'ZGF0YQ' },
    ],
  );
  assert.equal(text, 'Looking.');
  assert.equal(usage.reasoning, 25);
  const call = events.find((received) => received.type === 'tool-call-start');
  const signature = call?.type === 'tool-call-start' ? call.signature : undefined;
  assert.deepEqual(JSON.parse(signature ?? '[]'), [
    { type: 'thinking', thinking: 'Let me see.', signature: 'c2ln' },
    { type: 'redacted_thinking', data: 'ZGF0YQ' },
  ]);
});
