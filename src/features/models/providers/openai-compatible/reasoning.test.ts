import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatReasoning, parseReasoning } from './reasoning.ts';

test('reasoning comes back as it went, and what others signed is none', () => {
  for (const text of ['Hm.', '"\n\u{1f99c}', '']) assert.equal(parseReasoning(formatReasoning(text)), text);
  const others = [
    undefined,
    '',
    'c2ln',
    '[{"type":"thinking"}]',
    '{"reasoning_content":1}',
    '{"reasoning_content":',
  ];
  for (const signature of others) assert.equal(parseReasoning(signature), null);
});
