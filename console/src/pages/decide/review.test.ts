import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from './answers.ts';
import type { Outcome } from './batch.ts';
import { confidenceOf, isToReview, rowsInView, summarize } from './review.ts';

const noul = (noul: number, abstained?: boolean): Answer => ({
  type: 'noul',
  noul,
  ...(abstained === undefined ? {} : { abstained }),
});
const row = (...answers: readonly Answer[]): Outcome => ({
  decision: {
    model: 'm',
    answers: Object.fromEntries(answers.map((answer, at) => [`q${at}`, answer])),
    usage: { input_tokens: 1, output_tokens: 1 },
  },
});
const all = { onlyErrors: false, onlyReview: false, leastSureFirst: false, reviewBelow: 0.5 };
const outcomes = [row(noul(0.99)), null, row(noul(0.6)), { error: 'too long' }, row(noul(0.95, true))];

test('a noul is as sure as it is far from even', () => {
  assert.equal(confidenceOf(noul(0.5)), 0);
  assert.equal(confidenceOf(noul(0)), 1);
  assert.ok(Math.abs(confidenceOf(noul(0.9)) - 0.8) < 1e-9);
});

test('a row is to be reviewed for one answer that is not sure, or was abstained from', () => {
  assert.deepEqual(
    outcomes.map((outcome) => isToReview(outcome, 0.5)),
    [false, false, true, false, true],
  );
  assert.ok(isToReview(row(noul(0.99), noul(0.7)), 0.5));
  assert.ok(!isToReview(row(noul(0.99), noul(0.8)), 0.5));
});

test('rows are shown in the order of the table or the least sure first, errors before them', () => {
  assert.deepEqual(rowsInView(outcomes, all), [0, 2, 3, 4]);
  assert.deepEqual(rowsInView(outcomes, { ...all, leastSureFirst: true }), [3, 2, 4, 0]);
  assert.deepEqual(rowsInView(outcomes, { ...all, onlyReview: true }), [2, 4]);
  assert.deepEqual(rowsInView(outcomes, { ...all, onlyErrors: true }), [3]);
});

test('a summary counts the likeliest answers', () => {
  const [summary] = summarize(outcomes, ['q0']);
  assert.equal(summary?.answered, 3);
  assert.deepEqual(
    summary?.classes.map(({ label, count }) => [label, count]),
    [['yes', 3]],
  );
  const mixed = summarize([row(noul(0.1)), row(noul(0.9)), row(noul(0.2))], ['q0'])[0]?.classes ?? [];
  assert.deepEqual(
    mixed.map(({ label, count, meanConfidence }) => [label, count, meanConfidence.toFixed(2)]),
    [
      ['no', 2, '0.70'],
      ['yes', 1, '0.80'],
    ],
  );
});
