import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toPolarity } from './polarity.ts';

test('a denial is taken out and told, wherever its verb stands', () => {
  for (const [denied, statement] of [
    ['The message is not about refunds', 'The message is about refunds'],
    ["The user isn't asking about refunds", 'The user is asking about refunds'],
    ['Doesn’t the order arrive?', 'Does the order arrive?'],
    ["The customer can't log in", 'The customer can log in'],
    ['It cannot be repaired', 'It can be repaired'],
  ] as const) {
    assert.deepEqual(toPolarity(denied), { statement, denied: true });
  }
});

test('what holds no denial of its verb stays as it is', () => {
  for (const statement of ['Is this about a notebook?', 'Nobody is here', 'Not a word', 'a cannon', '']) {
    assert.deepEqual(toPolarity(statement), { statement, denied: false });
  }
});
