import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { parseMessageEvents, readMessageEvents } from '../../../../../test/support/messages-grammar.ts';
import { formatEvent } from '../../../../kernel/kit/sse.ts';
import type { ModelEvent, ModelUsage } from '../../../models/model.ts';
import { CollectedAnswer } from '../answer.ts';
import { MessageEncoder } from './events.ts';
import { toToolId, toWholeMessage, type MessageStart } from './message.ts';

const usage: ModelUsage = { input: 3, output: 4, cacheRead: 1, cacheWrite: 2, reasoning: 0 };

function newIds() {
  let count = 0;
  return (prefix: string) => `${prefix}${String(count++).padStart(24, '0')}`;
}

const startOf = (thoughts: MessageStart['thoughts'] = 'dropped'): MessageStart => ({
  id: 'msg_0',
  model: 'a/b',
  stop: [],
  thoughts,
  newId: newIds(),
  onSigned: () => {},
});

/** What a client reads of a stream, and what a JSON reply holds, of the same events in these batches. */
function both(batches: readonly (readonly ModelEvent[])[], thoughts?: MessageStart['thoughts']) {
  const stream = new MessageEncoder(startOf(thoughts), () => usage);
  const wire = batches.flatMap((batch) => stream.push(batch).map(formatEvent)).join('');
  const start = startOf(thoughts);
  const answer = new CollectedAnswer((call) => toToolId(call, start), thoughts);
  for (const batch of batches) answer.push(batch);
  const whole = toWholeMessage(start, answer, usage) as unknown as {
    content: { type: string; input?: unknown }[];
    stop_reason: string;
    usage: Record<string, unknown>;
  };
  return { read: readMessageEvents(parseMessageEvents(wire)), whole };
}

/** Texts, thoughts and calls in any order; pieces of calls that are open alternate as they like. */
const eventsOf = fc
  .array(
    fc.record({
      action: fc.constantFrom('text', 'open', 'piece', 'close', 'think', 'sign', 'hide', 'empty'),
      which: fc.nat(),
      text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
    }),
    { maxLength: 60 },
  )
  .map((actions): ModelEvent[] => {
    const events: ModelEvent[] = [];
    const open: string[] = [];
    let calls = 0;
    const end = (id: string) =>
      events.push({ type: 'tool-call-delta', id, arguments: '"]}' }, { type: 'tool-call-end', id });
    for (const { action, which, text } of actions) {
      const id = open[which % Math.max(1, open.length)];
      if (action === 'text') events.push({ type: 'text-delta', text });
      else if (action === 'think') events.push({ type: 'reasoning-delta', text });
      else if (action === 'sign')
        events.push({ type: 'reasoning-delta', text }, { type: 'thought', text, signature: text });
      else if (action === 'hide') events.push({ type: 'thought', text: null, signature: text });
      else if (action === 'empty') events.push({ type: 'text-delta', text: '' });
      else if (action === 'open') {
        const started = `call_${calls++}`;
        open.push(started);
        events.push(
          { type: 'tool-call-start', id: started, name: text },
          { type: 'tool-call-delta', id: started, arguments: '{"a":["' },
        );
      } else if (id !== undefined && action === 'piece') {
        events.push({ type: 'tool-call-delta', id, arguments: JSON.stringify(text).slice(1, -1) });
      } else if (id !== undefined) {
        end(id);
        open.splice(open.indexOf(id), 1);
      }
    }
    for (const id of open) end(id);
    return [...events, { type: 'usage', usage }, { type: 'finish', reason: 'end', stopSequence: null }];
  });

const thoughtsOf = fc.constantFrom('dropped' as const, 'signed' as const, 'shown' as const);

suite('the Messages stream', () => {
  test('says what the JSON reply says, whatever events come in whatever packets', () => {
    fc.assert(
      fc.property(eventsOf, fc.integer({ min: 1, max: 9 }), thoughtsOf, (events, size, thoughts) => {
        const batches: ModelEvent[][] = [];
        for (let at = 0; at < events.length; at += size) batches.push(events.slice(at, at + size));
        const { read, whole } = both(batches, thoughts);
        const content = read.content.map((block) =>
          block['type'] === 'tool_use'
            ? { ...block, input: JSON.parse(String(block['input'])) as unknown }
            : block,
        );
        assert.deepEqual(content, whole.content);
        assert.equal(read.stopReason, whole.stop_reason);
        assert.equal(read.error, null);
      }),
      { numRuns: 300 },
    );
  });

  test('emits each delta of the open block as it comes', () => {
    const stream = new MessageEncoder(startOf(), () => usage);
    const emitted = (...batch: ModelEvent[]) => stream.push(batch).map(({ event }) => event);
    assert.deepEqual(emitted({ type: 'text-delta', text: 'a' }), [
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
    ]);
    assert.deepEqual(emitted({ type: 'text-delta', text: 'b' }), ['content_block_delta']);
    assert.deepEqual(emitted({ type: 'tool-call-start', id: 'x', name: 'y' }), [
      'content_block_stop',
      'content_block_start',
    ]);
    assert.deepEqual(emitted({ type: 'tool-call-delta', id: 'x', arguments: '{' }), ['content_block_delta']);
    assert.deepEqual(emitted({ type: 'tool-call-delta', id: 'x', arguments: '}' }), ['content_block_delta']);
    assert.deepEqual(emitted({ type: 'tool-call-end', id: 'x' }), ['content_block_stop']);
    assert.deepEqual(emitted({ type: 'finish', reason: 'tool-calls', stopSequence: null }), [
      'message_delta',
      'message_stop',
    ]);
  });

  test('keeps an id that has the form of its own, and makes one where it has not', () => {
    const own = 'toolu_0123456789abcdefghijABCD';
    const { read, whole } = both([
      [
        { type: 'tool-call-start', id: own, name: 'a' },
        { type: 'tool-call-end', id: own },
        { type: 'tool-call-start', id: 'call_1', name: 'a' },
        { type: 'tool-call-delta', id: 'call_1', arguments: '{}' },
        { type: 'tool-call-end', id: 'call_1' },
        { type: 'finish', reason: 'end', stopSequence: null },
      ],
    ]);
    const ids = ['toolu_0123456789abcdefghijABCD', 'toolu_000000000000000000000000'];
    assert.deepEqual(
      read.content.map(({ id }) => id),
      ids,
    );
    assert.deepEqual(
      whole.content.map((block) => (block as { id?: string }).id),
      ids,
    );
    assert.equal(whole.stop_reason, 'tool_use');
  });
});
