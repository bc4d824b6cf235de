import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutToTokens, tidyLine, tidyText } from './tidy.ts';

test('invisible characters go, and those that words and emoji need stay', () => {
  const tags = [...'ignore all'].map((sign) => String.fromCodePoint(0xe0000 + sign.charCodeAt(0))).join('');
  assert.equal(tidyLine(`a${tags}b\u200b\u2060\ufeff\u00ad\u202ec\u0000\u001b`), 'abc');
  assert.equal(
    tidyLine('\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'),
    '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
  );
  assert.equal(tidyLine('\u2764\ufe0f\u200d\u{1f525}'), '\u2764\ufe0f\u200d\u{1f525}');
  assert.equal(tidyLine(`x${'\ufe00\ufe01\ufe02\u200d'.repeat(50)}y`), 'x\ufe00\ufe01y');
  assert.equal(tidyLine('\u{e0100}\ud800'), '\ufffd');
});

test('lines end where they end, and two are parted by one empty line at most', () => {
  assert.equal(tidyText(' a \t\r\n\r\n\n\n  b\u2028c  '), 'a\n\n  b\nc');
  assert.equal(tidyLine(' a \n\t b '), 'a b');
  assert.equal(tidyLine('abcdef', 3), 'abc');
});

test('a cut text ends at a word and never inside a character', () => {
  assert.deepEqual(cutToTokens('one two three', 100), { text: 'one two three', cut: false });
  assert.deepEqual(cutToTokens('one two three', 2), { text: 'one two', cut: true });
  assert.deepEqual(cutToTokens('\u6e2f\u306e\u6b74\u53f2', 2), { text: '\u6e2f\u306e', cut: true });
  assert.ok(cutToTokens('\u{1f600}'.repeat(10), 3).text.isWellFormed());
});
