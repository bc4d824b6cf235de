import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectLanguage, toLanguage } from './language.ts';
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

test('languages are read from tags, scripts and frequent words', () => {
  assert.deepEqual(['de-AT', 'pt_BR', ' EN ', 'deu', '', null, 'x-default'].map(toLanguage), [
    'de',
    'pt',
    'en',
    null,
    null,
    null,
    null,
  ]);
  const texts = {
    en: 'The line will have fourteen stops and it is the longest of the country, with a bridge that was built for it.',
    de: 'Die Strecke ist nicht lang, und sie wird mit einer Br\u00fccke \u00fcber den Fluss auf die Insel gef\u00fchrt.',
    fr: 'Les habitants de la ville sont dans la rue pour la f\u00eate, et une foule est venue avec des fleurs.',
    es: 'Los vecinos de la ciudad se quejan del ruido, pero el alcalde dice que es por una buena causa.',
    ru: '\u041b\u0438\u043d\u0438\u044f \u0431\u044b\u043b\u0430 \u043f\u043e\u0441\u0442\u0440\u043e\u0435\u043d\u0430 \u0434\u043b\u044f \u0433\u043e\u0440\u043e\u0434\u0430',
    zh: '\u8fd9\u6761\u7ebf\u8def\u5c06\u4ece\u706b\u8f66\u7ad9\u5230\u6e2f\u53e3\uff0c\u5168\u7ebf\u6709\u5341\u56db\u4e2a\u7ad9\u70b9\u3002\u5de5\u7a0b\u5c06\u4e8e\u660e\u5e74\u5f00\u59cb',
  };
  for (const [language, text] of Object.entries(texts)) assert.equal(detectLanguage(text), language);
  assert.equal(detectLanguage('x1 y2 z3'), null);
  assert.equal(detectLanguage('lorem ipsum dolor sit amet consectetur adipiscing elit'), null);
});
