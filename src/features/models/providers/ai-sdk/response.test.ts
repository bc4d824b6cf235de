import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomIds } from '../../../../kernel/kit/ids.ts';
import { PartReader, PartError } from './response.ts';

function read(...parts: readonly unknown[]) {
  const reader = new PartReader(randomIds);
  return { events: [...parts.flatMap((part) => reader.read(part)), ...reader.close()], reader };
}

const start = { type: 'tool-input-start', id: 'a', toolName: 'weather' };
const whole = { type: 'tool-call', toolCallId: 'a', toolName: 'weather', input: '{"city":"Bern"}' };
const received = [
  { type: 'tool-call-start', id: 'a', name: 'weather' },
  { type: 'tool-call-delta', id: 'a', arguments: '{"city":"Bern"}' },
  { type: 'tool-call-end', id: 'a' },
];

test('a call is emitted once, whether it comes in pieces, whole, or both', () => {
  const piece = { type: 'tool-input-delta', id: 'a', delta: '{"city":"Bern"}' };
  const end = { type: 'tool-input-end', id: 'a' };
  assert.deepEqual(read(start, piece, end).events, received);
  assert.deepEqual(read(start, piece, end, whole).events, received);
  assert.deepEqual(read(start, whole).events, received);
  assert.deepEqual(read(whole).events, received);
  assert.deepEqual(
    read({ ...start, inputEncoding: 'text' }, { ...piece, delta: 'raw' }, whole).events,
    received,
  );
});

test('a call without input has {}', () => {
  for (const parts of [[start, { ...whole, input: '' }], [{ ...whole, input: '' }]]) {
    const { events } = read(...parts);
    assert.deepEqual(
      events.map((event) => (event.type === 'tool-call-delta' ? event.arguments : event.type)),
      ['tool-call-start', '{}', 'tool-call-end'],
    );
  }
});

test('a call whose arguments are missing or cut is a failure of the backend', () => {
  const piece = { type: 'tool-input-delta', id: 'a', delta: '{"city":' };
  const limit = { type: 'finish', finishReason: { unified: 'length', raw: 'length' }, usage: {} };
  for (const parts of [
    [start],
    [start, piece],
    [start, piece, { ...whole, input: '{"city":' }],
    [{ ...whole, input: '[1]' }],
    [{ ...whole, input: '' }, limit],
  ])
    assert.throws(() => read(...parts), { code: 'bad_gateway' }, JSON.stringify(parts));
});

test('what the package wants back with a call is its signature', () => {
  const [event] = read({ ...start, providerMetadata: { acme: { thought: 'x' } } }, whole).events;
  assert.ok(event?.type === 'tool-call-start');
  assert.equal(event.signature, '{"acme":{"thought":"x"}}');
});

test('calls that the service runs itself are nobody’s', () => {
  const { events, reader } = read(
    { ...start, providerExecuted: true },
    { type: 'tool-input-delta', id: 'a', delta: '{}' },
    { ...whole, providerExecuted: true },
    { type: 'tool-result', toolCallId: 'a', toolName: 'weather', result: {} },
    { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: {} },
  );
  assert.deepEqual([events, reader.ending?.reason], [[], 'end']);
});

test('text and reasoning are emitted; empty pieces, sources and unknown parts are not', () => {
  const { events } = read(
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: '' },
    { type: 'reasoning-delta', id: '1', delta: 'Hm.' },
    { type: 'text-delta', id: '0', delta: 'Hi' },
    { type: 'source', sourceType: 'url', id: 's', url: 'https://example.org' },
    { type: 'ping' },
    { type: 'balloon' },
    null,
  );
  assert.deepEqual(events, [
    { type: 'reasoning-delta', text: 'Hm.' },
    { type: 'text-delta', text: 'Hi' },
  ]);
});

function ending(unified: string, raw?: string, before: readonly unknown[] = []) {
  return (
    read(...before, { type: 'finish', finishReason: { unified, raw }, usage: {} }).reader.ending?.reason ??
    null
  );
}

test('a finish that is no end is none', () => {
  assert.equal(ending('stop', 'stop'), 'end');
  assert.equal(ending('stop', 'stop', [whole]), 'tool-calls');
  assert.equal(ending('tool-calls', 'tool_calls'), 'end');
  assert.equal(ending('length'), 'length');
  assert.equal(ending('content-filter'), 'content-filter');
  assert.equal(ending('other', 'content_filter'), 'content-filter');
  assert.equal(ending('other', 'eos'), 'end');
  for (const unified of ['other', 'error', 'interrupted', 'unknown']) assert.equal(ending(unified), null);
  assert.equal(read({ type: 'finish' }).reader.ending, null);
});

test('usage is taken apart, whatever of it is missing', () => {
  const usage = (received: unknown) =>
    read({ type: 'finish', finishReason: { unified: 'stop' }, usage: received }).reader.usage;
  const full = {
    inputTokens: { total: 100, noCache: 60, cacheRead: 30, cacheWrite: 10 },
    outputTokens: { total: 20, text: 15, reasoning: 5 },
  };
  assert.deepEqual(usage(full), { input: 60, output: 20, cacheRead: 30, cacheWrite: 10, reasoning: 5 });
  const few = { inputTokens: { total: 100, cacheRead: 30 }, outputTokens: { total: 20, reasoning: 50 } };
  assert.deepEqual(usage(few), { input: 70, output: 20, cacheRead: 30, cacheWrite: 0, reasoning: 20 });
  assert.equal(usage({ inputTokens: {}, outputTokens: {} }), null);
  assert.equal(usage(undefined), null);
});

test('an error part throws with the error as its cause', () => {
  const cause = new Error('x');
  assert.throws(
    () => read({ type: 'error', error: cause }),
    (error) => error instanceof PartError && error.cause === cause,
  );
});

test('ids that are missing or taken are made up', () => {
  const { events } = read({ ...whole, toolCallId: '' }, start, whole, start, whole);
  const ids = events.flatMap((event) => (event.type === 'tool-call-start' ? [event.id] : []));
  assert.equal(new Set(ids).size, 3);
  assert.ok(!ids.includes(''));
});
