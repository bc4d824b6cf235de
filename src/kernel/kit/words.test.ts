import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assert as check, integer, property, string as anyString } from 'fast-check';

import { codePoint } from '../../../test/support/code-points.ts';
import { countInto, countTokens, splitName, tokenize, type TokenCount } from './words.ts';

test('words are lower case and marks stand alone', () => {
  assert.deepEqual(tokenize('Where is MY card?'), ['where', 'is', 'my', 'card', '?']);
  assert.deepEqual(tokenize('well-known (a_b)'), ['well', '-', 'known', '(', 'a', '_', 'b', ')']);
});

test('contractions are written out', () => {
  assert.deepEqual(tokenize("I don't, can't and won't"), [
    'i',
    'do',
    'not',
    ',',
    'can',
    'not',
    'and',
    'will',
    'not',
  ]);
  assert.deepEqual(
    tokenize("I'm you're we've they'll he'd it's"),
    'i am you are we have they will he would it'.split(' '),
  );
  assert.deepEqual(tokenize('don\u2019t'), ['do', 'not']);
  assert.deepEqual(tokenize('dont'), ['do', 'not']);
});

test('numbers keep their separators', () => {
  assert.deepEqual(tokenize('$1,000.50 in 2024.'), ['$', '1,000.50', 'in', '2024', '.']);
  assert.deepEqual(tokenize('401k w9'), ['401k', 'w9']);
});

test('accents are taken off, ideographs and pictographs stand alone', () => {
  assert.deepEqual(tokenize('Café naïve'), ['cafe', 'naive']);
  assert.deepEqual(tokenize('你好'), ['你', '好']);
  assert.ok(tokenize('no 😡').includes('😡'));
});

test('any string is tokenized, each token lower case, not empty and without white space', () => {
  check(
    property(anyString({ unit: codePoint, maxLength: 200 }), (text) => {
      for (const token of tokenize(text)) {
        assert.notEqual(token, '');
        assert.doesNotMatch(token, /\s/u);
      }
    }),
  );
});

test('names split where people part words in code', () => {
  assert.equal(splitName('cardNotWorking'), 'card Not Working');
  assert.equal(splitName('card_not-working'), 'card not working');
  assert.equal(splitName('HTTPError2Go'), 'HTTP Error2 Go');
  assert.equal(splitName('__proto__'), 'proto');
  assert.equal(splitName('Top up'), 'Top up');
});

test('words and marks count one each, long words once per piece', () => {
  assert.equal(countTokens(''), 0);
  assert.equal(countTokens('  \n\t '), 0);
  assert.equal(countTokens('Where is my card?'), 5);
  assert.equal(countTokens('a'.repeat(16)), 1);
  assert.equal(countTokens('a'.repeat(17)), 2);
  assert.equal(countTokens('你好 😡'), 3);
});

test('appending text never lowers the count', () => {
  check(
    property(anyString({ unit: codePoint }), anyString({ unit: codePoint }), (a, b) => {
      assert.ok(countTokens(a + b) >= countTokens(a));
      assert.ok(countTokens(a + b) <= countTokens(a) + countTokens(b));
    }),
  );
});

test('counting in slices gives what the whole gives', () => {
  check(
    property(anyString({ unit: codePoint, maxLength: 60 }), integer({ min: 1, max: 9 }), (text, size) => {
      const count: TokenCount = { tokens: 0, run: 0 };
      for (let from = 0; from < text.length; from += size) {
        countInto(count, text, from, Math.min(text.length, from + size));
      }
      assert.equal(count.tokens, countTokens(text));
    }),
  );
});
