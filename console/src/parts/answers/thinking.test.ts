import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitThinking } from './thinking.ts';

test('reasoning is told apart from the answer at every length of the text so far', () => {
  const whole = '<think>\nFirst look.\n</think>\n\nThe answer.';
  assert.deepEqual(splitThinking(whole), { thinking: 'First look.', answer: 'The answer.' });
  for (let length = 0; length <= whole.length; length++) {
    const { thinking, answer } = splitThinking(whole.slice(0, length));
    assert.ok('The answer.'.startsWith(answer), answer);
    assert.ok(!answer.includes('<'), answer);
    assert.ok('First look.\n</think>'.startsWith(thinking), thinking);
  }
});

test('a text without reasoning is the answer', () => {
  assert.deepEqual(splitThinking('A < b'), { thinking: '', answer: 'A < b' });
  assert.deepEqual(splitThinking('Say <think>x</think>'), { thinking: '', answer: 'Say <think>x</think>' });
});
