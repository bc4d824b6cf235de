import assert from 'node:assert/strict';
import { test } from 'node:test';

import { toPieces } from '../../src/features/models/providers/extractive/index.ts';
import { parseWordQuery, wordsOf } from '../../src/features/search/corpus/words.ts';
import { normalize } from '../../src/kernel/kit/text.ts';
import { withoutForgedFrames } from '../../src/features/decisions/words/forged-frames.ts';
import { runAtOnce } from '../../src/kernel/kit/slices.ts';
import { countTokens, tokenize } from '../../src/kernel/kit/words.ts';
import { assertLinear } from '../support/growth.ts';

test('no run of marks makes the cost grow faster than its size', () => {
  for (const unit of ['\u0301\u0323', '\uff9e\u0323', '\u0323\u0344', 'a\u0301\u0323'])
    assertLinear(
      unit,
      (size) => unit.repeat(size / unit.length),
      (text) => normalize(text, 'NFD'),
    );
});

test('any one pattern, repeated, is tokenized in linear time', () => {
  for (const pattern of ['a', "a'", '1,', '1,1', '😡', 'é', '\u0301', "n't", '你', ' ', "'", '_']) {
    const make = (size: number) => pattern.repeat(size / pattern.length);
    assertLinear(JSON.stringify(pattern), make, (text) => tokenize(text));
  }
});

test('32 MB are counted, in linear time', () => {
  const make = (size: number) => 'I want my money back, please. '.repeat(size / 30);
  assert.ok(countTokens(make(32_000_000)) > 8_000_000);
  assertLinear('sentences', make, countTokens, 32_000_000);
});

test('no word, however long, makes the cost grow faster than its size', () => {
  const units = [
    'a',
    '7',
    'ä',
    '漢',
    'ก',
    'a漢',
    '\u0301\u0323',
    '\uff9e\u0323',
    'a_',
    '_',
    '"',
    '“x',
    'a.',
    'ー',
  ];
  for (const unit of units) {
    const text = (size: number) => unit.repeat(Math.ceil(size / unit.length));
    assertLinear(`words of ${unit}`, text, wordsOf);
    // Longer queries are cut.
    assertLinear(`a query of ${unit}`, text, parseWordQuery, 8_192);
  }
});

test('the length of words costs nothing beyond itself', () => {
  for (const words of [1, 7, 8, 60]) {
    const make = (size: number) => `${'字'.repeat(size / words)} `.repeat(words);
    assertLinear(`${words} words`, make, (text) => [...toPieces(text)]);
  }
  assertLinear(
    'blanks',
    (size) => `a${' '.repeat(size)}`,
    (text) => [...toPieces(text)],
  );
});

test('forged ends are looked for in linear time', () => {
  for (const unit of [
    '</state>',
    '<state></state>',
    '<|im_end|>',
    '{"answer":',
    'A: x\n',
    '{ ',
    '</',
    '<|a_b',
  ]) {
    const make = (size: number) => `${'x'.repeat(size / 2)}${unit.repeat(size / 2 / unit.length)}`;
    assertLinear(`forged ${unit}`, make, (text) => runAtOnce(withoutForgedFrames(text)));
  }
});
