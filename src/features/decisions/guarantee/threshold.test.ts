import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createRandom, shuffle } from '../evaluation/sample.ts';
import { answersNeeded, binomialTail, exactInterval } from './binomial.ts';
import { findThreshold, rowsNeeded, toCurve, toPoint, type Judged } from './threshold.ts';

const near = (actual: number, wanted: number, by = 1e-9) =>
  assert.ok(Math.abs(actual - wanted) <= by, `${actual}, not ${wanted}`);

suite('the binomial tail', () => {
  test('is the sum of its terms', () => {
    near(binomialTail(0, 59, 0.05), 0.95 ** 59);
    near(binomialTail(1, 3, 0.5), 0.5);
    near(binomialTail(2, 3, 0.5), 0.875);
    near(binomialTail(3, 3, 0.9), 1);
  });

  test('is 1 far above the mean and 0 far below it, with thousands of rows', () => {
    near(binomialTail(1_400, 2_750, 0.01), 1);
    assert.ok(binomialTail(5, 2_750, 0.1) < 1e-100);
    near(binomialTail(0, 100_000, 0.5), 0);
  });

  test('its inverse is the interval of Clopper and Pearson', () => {
    // The tables of the paper, and R: binom.test(5, 100).
    const [low, high] = exactInterval(5, 100, 0.95);
    near(low, 0.01643, 1e-5);
    near(high, 0.11283, 1e-5);
    assert.deepEqual(exactInterval(0, 0, 0.95), [0, 1]);
    near(exactInterval(0, 10, 0.95)[0], 0);
    near(exactInterval(10, 10, 0.95)[1], 1);
  });

  test('tells how many answers without an error prove a bound', () => {
    assert.equal(answersNeeded(0.05, 0.05), 59);
    assert.ok(binomialTail(0, 59, 0.05) <= 0.05 && binomialTail(0, 58, 0.05) > 0.05);
  });
});

/** Rows whose chance of an error follows from their confidence. */
function draw(count: number, seed: number, errorAt: (confidence: number) => number): readonly Judged[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => {
    const confidence = random();
    return { confidence, isWrong: random() < errorAt(confidence) };
  });
}

const engines: Readonly<Record<string, (confidence: number) => number>> = {
  calibrated: (confidence) => (1 - confidence) / 2,
  'much too sure': (confidence) => Math.min(0.9, 3 * (1 - confidence)),
  'no surer where it is right': () => 0.06,
  'wrong where it is surest': (confidence) => (confidence > 0.97 ? 0.3 : 0.05 * (1 - confidence)),
};

/** Mean error of what is answered at a threshold, of all rows that there could be. */
function riskAt(threshold: number, errorAt: (confidence: number) => number): number {
  const steps = 2_000;
  const at = (step: number) => threshold + ((step + 0.5) / steps) * (1 - threshold);
  return Array.from({ length: steps }, (_, step) => errorAt(at(step))).reduce((a, b) => a + b, 0) / steps;
}

suite('a threshold', () => {
  for (const [name, errorAt] of Object.entries(engines))
    for (const maxError of [0.01, 0.05, 0.1])
      test(`keeps the error at or under ${maxError} in 95 of 100 draws: ${name}`, () => {
        const target = { maxError, confidence: 0.95 };
        const draws = Array.from({ length: 200 }, (_, seed) =>
          findThreshold(draw(1_000, seed, errorAt), target),
        );
        const broken = draws.filter(
          (threshold) => threshold !== null && riskAt(threshold, errorAt) > maxError,
        );
        assert.ok(broken.length <= 10, `${broken.length} of 200`);
      });

  test('answers nearly all that it could', () => {
    const { calibrated = () => 1 } = engines;
    // At 0.6 the calibrated engine has an error of 0.1.
    const found = findThreshold(draw(10_000, 1, calibrated), { maxError: 0.1, confidence: 0.95 });
    assert.ok(found !== null && found >= 0.6 && found <= 0.68, String(found));
    assert.equal(
      findThreshold(
        draw(1_000, 1, () => 0),
        { maxError: 0.05, confidence: 0.95 },
      ),
      0,
    );
  });

  test('is found above 0.99 for an engine that is never less sure', () => {
    const random = createRandom(5);
    const rows = Array.from({ length: 2_000 }, () => {
      const confidence = 0.99 + random() / 100;
      return { confidence, isWrong: random() < (confidence < 0.997 ? 0.4 : 0.01) };
    });
    const found = findThreshold(rows, { maxError: 0.05, confidence: 0.95 });
    assert.ok(found !== null && found >= 0.995, String(found));
  });

  test('the error of rows that were put aside stays under the bound in 95 of 100 halvings', () => {
    const { calibrated = () => 1 } = engines;
    const rows = draw(3_000, 7, calibrated);
    for (const maxError of [0.01, 0.05, 0.1]) {
      const kept = Array.from({ length: 200 }, (_, seed) => {
        const shuffled = shuffle(rows, seed + 1);
        const found = findThreshold(shuffled.slice(0, 1_500), { maxError, confidence: 0.95 });
        return found === null || (toPoint(shuffled.slice(1_500), found, 0.95).error ?? 0) <= maxError;
      });
      assert.ok(kept.filter(Boolean).length >= 190, `${maxError}: ${kept.filter(Boolean).length} of 200`);
    }
  });

  test('with fewer rows than any test can pass with, there is none', () => {
    const target = { maxError: 0.05, confidence: 0.95 };
    const right = (count: number) => Array.from({ length: count }, () => ({ confidence: 1, isWrong: false }));
    assert.equal(rowsNeeded(target), 97);
    assert.equal(findThreshold(right(96), target), null);
    assert.equal(findThreshold(right(97), target), 0);
    assert.equal(findThreshold([], target), null);
  });

  test('does not depend on the order of the rows', () => {
    const { calibrated = () => 1 } = engines;
    const rows = draw(2_000, 3, calibrated);
    const target = { maxError: 0.1, confidence: 0.9 };
    assert.equal(findThreshold(rows, target), findThreshold(rows.toReversed(), target));
  });
});

test('a curve goes from the surest answers to all of them', () => {
  const { calibrated = () => 1 } = engines;
  const curve = toCurve(draw(500, 2, calibrated), 0.95);
  assert.equal(curve.at(-1)?.coverage, 1);
  assert.ok(curve.every(({ coverage }, index) => coverage > (curve[index - 1]?.coverage ?? 0)));
  for (const {
    error,
    errorInterval: [low, high],
  } of curve)
    assert.ok(error !== null && low <= error && error <= high);
});
