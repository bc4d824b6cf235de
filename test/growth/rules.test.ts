import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { NormalizedQuestion } from '../../src/features/decisions/engine.ts';
import { createRules } from '../../src/features/decisions/rules/index.ts';
import { answered } from '../../src/features/decisions/rules/phrasings.fixture.ts';
import { assertLinear, costOf } from '../support/growth.ts';

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
