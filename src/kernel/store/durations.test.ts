import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { durationBoundsMs, durationColumns, placeOfDuration, quantileOf } from './durations.ts';

const countsOf = (durations: readonly number[]): number[] => {
  const counts = durationColumns.map(() => 0);
  for (const ms of durations) counts[placeOfDuration(ms)] = (counts[placeOfDuration(ms)] ?? 0) + 1;
  return counts;
};

suite('durations in steps', () => {
  test('each falls into one step, and a bound into the next', () => {
    assert.deepEqual(
      [0, 0.99, 1, 1.99, 2, 99_999, 100_000, 1e9].map(placeOfDuration),
      [0, 0, 1, 1, 2, 15, 16, 16],
    );
    assert.equal(durationColumns.length, durationBoundsMs.length + 1);
  });

  test('a quantile is within the step of the true one', () => {
    const durations = Array.from({ length: 900 }, (_, n) => 3 * 1.01 ** n);
    const counts = countsOf(durations);
    for (const share of [0.05, 0.5, 0.95]) {
      const truth = durations[Math.ceil(share * durations.length) - 1] ?? 0;
      const told = quantileOf(counts, share) ?? 0;
      assert.equal(placeOfDuration(told), placeOfDuration(truth), `${share}: ${told}, ${truth}`);
      assert.ok(told / truth > 0.9 && told / truth < 1.1, `${share}: ${told}, ${truth}`);
    }
  });

  test('nothing has no quantile, and what takes longer than all bounds is told by the last', () => {
    assert.equal(quantileOf(countsOf([]), 0.5), null);
    assert.equal(quantileOf(countsOf([500_000, 600_000]), 0.5), 100_000);
    assert.equal(quantileOf(countsOf([0.2]), 0.5), 0.5);
  });
});
