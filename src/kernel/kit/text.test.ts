import assert from 'node:assert/strict';
import { test } from 'node:test';

import { beginningOf, normalize, quote, withoutEndSlashes } from './text.ts';

test('marks that a language writes are kept', () => {
  assert.equal(normalize('Ä', 'NFD'), 'A\u0308');
  const zalgo = `z${'\u0323\u0301'.repeat(15)}`;
  assert.equal(normalize(zalgo, 'NFD'), zalgo.normalize('NFD'));
});

test('no sign that is no mark becomes a run of marks', () => {
  const found: string[] = [];
  for (let code = 0; code <= 0x10_ff_ff; code++) {
    const sign = String.fromCodePoint(code);
    const decomposed = sign.toWellFormed() === sign ? normalize(sign, 'NFKD') : '';
    if (decomposed === sign) continue;
    if (!/[\p{M}\uff9e\uff9f]/u.test(sign) && /^\p{M}+$/u.test(decomposed)) found.push(code.toString(16));
  }
  assert.deepEqual(found, []);
});

test('a cut leaves no half of a sign', () => {
  assert.equal(beginningOf('ab\u{1f99c}c', 3), 'ab');
  assert.equal(beginningOf('ab\u{1f99c}c', 4), 'ab\u{1f99c}');
  assert.equal(beginningOf('ab\u{1f99c}', 9), 'ab\u{1f99c}');
  assert.equal(quote('\u{1f99c}'.repeat(99), 7), `${'\u{1f99c}'.repeat(3)}…`);
});

test('slashes are taken from the end alone', () => {
  const ends = ['https://a.example/v1//', 'a', '/', '', '//a//b'].map(withoutEndSlashes);
  assert.deepEqual(ends, ['https://a.example/v1', 'a', '', '', '//a//b']);
});
