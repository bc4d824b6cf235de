import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { NormalizedQuestion } from '../../src/features/decisions/engine.ts';
import { createRules } from '../../src/features/decisions/rules/index.ts';
import { answered } from '../../src/features/decisions/rules/phrasings.fixture.ts';
import { toPieces } from '../../src/features/models/providers/extractive/index.ts';
import { parseWordQuery, wordsOf } from '../../src/features/search/corpus/words.ts';
import { normalize } from '../../src/kernel/kit/text.ts';
import { withoutForgedFrames } from '../../src/features/decisions/words/forged-frames.ts';
import { runAtOnce } from '../../src/kernel/kit/slices.ts';
import { countTokens, tokenize } from '../../src/kernel/kit/words.ts';
import { assertLinear, costOf } from '../support/growth.ts';

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

const questions = [...new Set(answered.map(([, question]) => question))].map(
  (question): NormalizedQuestion => ({
    kind: 'noul',
    question,
    options: ['true', 'false'].map((name) => ({ name, description: '' })),
  }),
);

/** Every rule is asked about the same state. */
function askAll(entry: string | object[]): void {
  const rules = createRules({ entry: entry as never, text: '', images: [] });
  for (const question of questions) rules(question);
}

test('no text, however repetitive, makes rules slower than its size', () => {
  const units = [
    'a',
    '1',
    '1 ',
    '1,',
    '1-',
    'a@',
    'a.',
    '+1 (',
    'AB12 ',
    'http://',
    'sk-',
    'ja ',
    '. ',
    '\n',
    'token: ',
    '$1 ',
    'may 1 ',
  ];
  for (const unit of units) {
    const make = (size: number) => unit.repeat(Math.ceil(size / unit.length));
    assertLinear(JSON.stringify(unit), make, askAll, 262_144);
  }
});

test('no structure, however wide, makes rules slower than its size', () => {
  const shapes: readonly ((at: number) => object)[] = [
    (at) => ({ id: `A-${at}`, name: 'lamp', status: 'shipped', price: at }),
    (at) => ({ items: [{ status: 'pending' }], plan: 'free', at }),
    (at) => ({ [`key_${at}`]: { name: `desk ${at}` } }),
  ];
  for (const [number, shape] of shapes.entries()) {
    const make = (size: number) => Array.from({ length: Math.ceil(size / 64) }, (_, at) => shape(at));
    assertLinear(`shape ${number}`, make, askAll, 262_144);
  }
});

test('no JSON in a text, however deep, makes rules slower than its size', () => {
  const make = (depth: number) => `${'{"total":'.repeat(depth)}1${'}'.repeat(depth)}`;
  // Alone, because what all others cost would hide it.
  const question = questions.find((one) => one.question === 'Is the total more than 100?');
  assert.ok(question);
  const askOne = (entry: string) => createRules({ entry, text: '', images: [] })(question);
  const leastOf = (inputs: readonly string[]) => Math.min(...[1, 2, 3].map(() => costOf(inputs, askOne)));
  // Nearly as deep as structures are looked at by their size: where it is less, walking up from each value is cheap.
  const parted = leastOf(Array.from({ length: 8 }, () => make(2_000)));
  const whole = leastOf([make(16_000)]);
  const told = `8 times as deep costs ${whole} µs, eight of an eighth ${parted} µs`;
  assert.ok(whole < 3 * Math.max(parted, 20_000), told);
});
