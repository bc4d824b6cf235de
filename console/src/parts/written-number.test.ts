import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseWithDigits } from './written-number.ts';

test('a number keeps its digits from one text to the next, and others are numbers', () => {
  const text =
    '{"state":{"id":12345678901234567891,"part":0.12345678901234567891},"n":[7,1.5,1234567890123456]}';
  const value = parseWithDigits(text);
  assert.equal(JSON.stringify(value), text);
  assert.deepEqual((value as { readonly n: unknown }).n, [7, 1.5, 1_234_567_890_123_456]);
  assert.throws(() => parseWithDigits('{"id":12345678901234567891'), SyntaxError);
});
