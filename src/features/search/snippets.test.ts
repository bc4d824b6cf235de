import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { codePoint } from '../../../test/support/code-points.ts';
import { countTokens } from '../../kernel/kit/words.ts';
import { cutToSentence, shareTokens, joinPassages, choosePassages } from './snippets.ts';

const anyText = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 300 }),
  fc
    .array(fc.constantFrom('kea', 'Moss grows.', '\n\n', '## Head', '。', '山鳥', '"', ')', '.', ' '), {
      maxLength: 200,
    })
    .map((parts) => parts.join('')),
);

test('a cut text never has more tokens than allowed, and is a beginning of the text', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 0, max: 60 }), (text, tokensMax) => {
      const cut = cutToSentence(text, tokensMax);
      assert.ok(countTokens(cut) <= tokensMax);
      assert.ok(text.toWellFormed().startsWith(cut.toWellFormed()));
    }),
  );
});

test('what is told of a text keeps its budget, whatever the text', () => {
  fc.assert(
    fc.property(anyText, anyText, fc.integer({ min: 0, max: 60 }), (text, other, tokensMax) => {
      const told = joinPassages(choosePassages(text, other, ['kea', 'moss']), tokensMax);
      assert.ok(countTokens(told) <= tokensMax);
    }),
  );
});

test('shares keep every need and the sum, and leave nothing that somebody needs', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(500), { maxLength: 20 }), fc.nat(3_000), (needs, tokensMax) => {
      const shares = shareTokens(needs, tokensMax);
      const sum = shares.reduce((total, share) => total + share, 0);
      assert.ok(shares.every((share, index) => share >= 0 && share <= (needs[index] ?? 0)));
      assert.equal(
        sum,
        Math.min(
          tokensMax,
          needs.reduce((total, need) => total + need, 0),
        ),
      );
    }),
  );
  assert.deepEqual(shareTokens([100, 10, 100], 110), [50, 10, 50]);
  assert.deepEqual(shareTokens([5, 5, 5], 2), [1, 1, 0], 'the first get what does not divide');
});

test('texts are cut where a sentence ends, else at a word, and between signs where there are no words', () => {
  const text = 'The kea is a parrot. It lives in the mountains. It is green.';
  assert.equal(cutToSentence(text, 8), 'The kea is a parrot.');
  assert.equal(cutToSentence(text, 3), 'The kea is');
  assert.equal(cutToSentence(text, 100), text);
  assert.equal(cutToSentence('鸚鵡住在山上。牠是綠色的。', 8), '鸚鵡住在山上。');
  assert.equal(cutToSentence('He said "stop." Then he left.', 6), 'He said "stop."');
});
