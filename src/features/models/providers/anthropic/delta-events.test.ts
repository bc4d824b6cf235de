import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../../../kernel/kit/json.ts';
import { DeltaEvents } from './delta-events.ts';

const kinds = [
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['input_json_delta', 'partial_json'],
] as const;

const eventOf = (delta: JsonObject, index = 0) => ({ type: 'content_block_delta', index, delta });

function after(event: ReturnType<typeof eventOf>): DeltaEvents {
  const events = new DeltaEvents();
  events.remember(JSON.stringify(event), event);
  return events;
}

suite('deltas of a message that are read without parsing', () => {
  for (const [type, name] of kinds)
    test(`${type} gives the event that parsing would give, whatever its text holds`, () => {
      const events = after(eventOf({ type, [name]: 'Hello' }));
      fc.assert(
        fc.property(fc.string({ unit: 'grapheme' }), (text) => {
          const event = eventOf({ type, [name]: text });
          assert.deepEqual(events.read(JSON.stringify(event)), event);
        }),
      );
    });

  test('are those that differ in their text alone', () => {
    const events = after(eventOf({ type: 'text_delta', text: 'Hello' }));
    for (const other of [
      eventOf({ type: 'text_delta', text: 'a' }, 1),
      eventOf({ type: 'thinking_delta', thinking: 'a' }),
      eventOf({ type: 'text_delta', text: 'a', more: 1 }),
      eventOf({ type: 'text_delta', text: null }),
      { type: 'content_block_stop', index: 0 },
    ])
      assert.equal(events.read(JSON.stringify(other)), null);
    assert.equal(
      events.read('{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a'),
      null,
    );
  });

  test('a kind that is not known, and what is no delta, leave the one before', () => {
    const first = eventOf({ type: 'text_delta', text: 'Hello' });
    const events = after(first);
    for (const other of [
      eventOf({ type: 'signature_delta', signature: 'x' }),
      eventOf({ type: 'text_delta', text: 'a "text"' }),
      { type: 'ping', text: 'a' },
    ])
      events.remember(JSON.stringify(other), other);
    assert.deepEqual(events.read(JSON.stringify(first)), first);
  });
});
