import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toConfusion } from './confusion.ts';
import type { QuestionReport } from './wire.ts';

const label = (name: string, examples: number, right: number) => ({
  name,
  examples,
  answered: examples,
  precision: null,
  recall: examples === 0 ? null : right / examples,
});

const report: QuestionReport = {
  question: 'q',
  kind: 'choice',
  instructions: '',
  examples: 10,
  taken: null,
  before: null,
  after: null,
  held_out: null,
  labels: [label('billing', 3, 2), label('delivery', 7, 7), label('login', 0, 0)],
  confused: [{ right: 'billing', answered: 'delivery', examples: 1 }],
};

test('every pair of answers has its count, those that were answered rightly on the diagonal', () => {
  assert.deepEqual(toConfusion(report), {
    names: ['billing', 'delivery', 'login'],
    rows: [
      [2, 1, 0],
      [0, 7, 0],
      [0, 0, 0],
    ],
  });
});

test('a report that names only some of the pairs, or has too many answers, is no whole table', () => {
  assert.equal(toConfusion({ ...report, confused: [] }), null);
  assert.equal(toConfusion({ ...report, labels: null }), null);
  const many = Array.from({ length: 9 }, (_, at) => label(String(at), 1, 1));
  assert.equal(toConfusion({ ...report, labels: many, confused: [] }), null);
});
