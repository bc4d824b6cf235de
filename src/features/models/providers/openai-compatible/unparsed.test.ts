import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomIds } from '../../../../kernel/kit/ids.ts';
import { ResponseReader } from './response.ts';

const text = fc.oneof(fc.constantFrom('', 'a', 'Hello', '"', '\\', 'a\n', '<think>', '\ud83d'), fc.string());

const delta = fc.oneof(
  fc.record({ content: text }),
  fc.record({ reasoning_content: text }),
  fc.record({ reasoning: text }),
  fc.record({ content: fc.constantFrom('', null), reasoning_content: text }),
  fc.record({ reasoning_content: fc.constantFrom('', null), reasoning: text }),
  fc.record({ content: text, reasoning: text }),
  fc.record({ content: text, refusal: fc.constantFrom('', 'no') }),
  fc.record({
    content: text,
    tool_calls: fc.constant([{ id: 'c', function: { name: 'f', arguments: '{}' } }]),
  }),
);

/** The events of each chunk; one that differs everywhere from the chunk before it is parsed. */
function read(deltas: readonly object[], isParsed: boolean, thinkTags: boolean, stop: readonly string[]) {
  const reader = new ResponseReader({
    stop,
    thinkTags,
    functions: ['f'],
    estimateInput: () => 1,
    ids: randomIds,
  });
  const events = deltas.map((one, at) => {
    const choices = [{ index: 0, delta: one, finish_reason: null }];
    return reader.push([{ event: null, data: JSON.stringify({ at: isParsed ? at : 0, choices }) }]);
  });
  return [...events, reader.push([{ event: null, data: '[DONE]' }])];
}

test('chunks are read as parsing would read them, whatever came before', () => {
  const stops = fc.constantFrom([], ['lo'], ['"']);
  fc.assert(
    fc.property(fc.array(delta, { maxLength: 12 }), fc.boolean(), stops, (deltas, thinkTags, stop) => {
      assert.deepEqual(read(deltas, false, thinkTags, stop), read(deltas, true, thinkTags, stop));
    }),
    { numRuns: 1_000 },
  );
});
