import assert from 'node:assert/strict';
import { test } from 'node:test';

import { normalize, quote } from './text.ts';

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

test('what is quoted is cut without half of a sign, which JSON of other languages refuses', () => {
  assert.equal(quote('short'), 'short');
  assert.ok(quote('\u{1f99c}'.repeat(100), 3).isWellFormed());
});
