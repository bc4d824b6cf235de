import assert from 'node:assert/strict';
import { test } from 'node:test';

import { auroc, report, spearman, type Outcome } from './metrics.ts';

const noul = (p: number, truth: boolean): Outcome => ({ probabilities: [p, 1 - p], right: truth ? 0 : 1 });

test('perfect ranking has an area of one, reversed ranking of zero, ties of a half', () => {
  assert.equal(auroc([noul(0.9, true), noul(0.8, true), noul(0.2, false)]), 1);
  assert.equal(auroc([noul(0.1, true), noul(0.2, false), noul(0.3, false)]), 0);
  assert.equal(auroc([noul(0.5, true), noul(0.5, false)]), 0.5);
});

test('confidence that comes true as often as it says has no calibration error', () => {
  const outcomes = Array.from({ length: 10 }, (_, i) => noul(0.7, i < 7));
  const { accuracy, ece, count } = report(outcomes);
  assert.equal(count, 10);
  assert.equal(accuracy, 0.7);
  assert.ok(ece < 1e-12);
});

test('overconfidence is an error of its size', () => {
  const outcomes = Array.from({ length: 10 }, (_, i) => noul(1, i < 6));
  assert.ok(Math.abs(report(outcomes).ece - 0.4) < 1e-12);
});

test('rank correlation knows order, reversal and ties', () => {
  assert.equal(spearman([1, 2, 3], [10, 20, 30]), 1);
  assert.equal(spearman([1, 2, 3], [3, 2, 1]), -1);
  assert.ok(Math.abs(spearman([1, 1, 2], [1, 2, 3]) - Math.sqrt(3) / 2) < 1e-12);
});
