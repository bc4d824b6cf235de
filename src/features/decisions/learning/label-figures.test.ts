import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalizeQuestion } from '../normalize-question.ts';
import { canonicalOrder } from '../order.ts';
import { toConfusion, toLabelReport } from './label-figures.ts';

test('each answer has its precision and its recall, and the pairs that are confused most come first', () => {
  const criteria = { zebra: null, ape: null, lion: null, cat: null };
  const question = normalizeQuestion({ type: 'choice', criteria }, 'q');
  const order = canonicalOrder(question);
  const place = (name: string) => order.indexOf(question.options.findIndex((one) => one.name === name));
  const pairs = [
    ...Array.from({ length: 3 }, () => ['zebra', 'zebra']),
    ['zebra', 'ape'],
    ['lion', 'zebra'],
    ['lion', 'zebra'],
    ['ape', 'ape'],
  ] as const;
  const answers = pairs.map(([right = '', chosen = '']) => ({ right: place(right), chosen: place(chosen) }));
  const { labels, confused } = toLabelReport(question, toConfusion(answers));
  assert.deepEqual(labels, [
    { name: 'zebra', examples: 4, answered: 5, precision: 0.6, recall: 0.75 },
    { name: 'ape', examples: 1, answered: 2, precision: 0.5, recall: 1 },
    { name: 'lion', examples: 2, answered: 0, precision: null, recall: 0 },
    { name: 'cat', examples: 0, answered: 0, precision: null, recall: null },
  ]);
  assert.deepEqual(confused, [
    { right: 'lion', answered: 'zebra', examples: 2 },
    { right: 'zebra', answered: 'ape', examples: 1 },
  ]);
});

test('of many pairs that are confused ten are told', () => {
  const names = Array.from({ length: 8 }, (_, n) => `option ${n}`);
  const criteria = Object.fromEntries(names.map((name) => [name, null]));
  const question = normalizeQuestion({ type: 'choice', criteria }, 'q');
  const answers = names.flatMap((_, right) => names.map((_name, chosen) => ({ right, chosen })));
  assert.equal(toLabelReport(question, toConfusion(answers)).confused.length, 10);
});
