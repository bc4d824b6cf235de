import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { temper, temperatureFor, type Temperature } from '../calibration.ts';
import type { NormalizedQuestion } from '../engine.ts';
import { fitCalibration, toDrift } from './calibrate.ts';
import { fitTemperature, shapesFor, tempered } from './fit.ts';
import { nll, type Outcome } from './metrics.ts';
import { minimiseLine, minimisePlane } from './minimise.ts';
import { createRandom, sample, shuffle } from './sample.ts';

/** Outcomes that are true to their probabilities, which are then sharpened as by a model that is too sure. */
function overconfident(
  sizes: readonly number[],
  count: number,
  by: (n: number) => number,
  seed = 7,
): Outcome[] {
  const random = createRandom(seed);
  return sizes.flatMap((n) =>
    Array.from({ length: count }, () => {
      const weights = Array.from({ length: n }, () => Math.exp(3 * random()));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const truth = weights.map((weight) => weight / total);
      let left = random();
      const right = Math.max(
        0,
        truth.findIndex((p) => (left -= p) < 0),
      );
      const probabilities = temper(truth, 1 / by(n));
      return { probabilities, right, chosen: probabilities.indexOf(Math.max(...probabilities)) };
    }),
  );
}

const withKind = (kind: NormalizedQuestion['kind'], outcomes: readonly Outcome[]) =>
  outcomes.map((outcome) => ({ ...outcome, kind }));

suite('fitting a temperature', () => {
  test('one temperature is found again', () => {
    const { a } = fitTemperature(
      overconfident([4], 4_000, () => 2.5),
      'one',
    );
    assert.ok(Math.abs(a - 2.5) < 0.2, String(a));
  });

  test('no temperature nearby has a lower NLL', () => {
    const outcomes = overconfident([3, 5], 300, () => 1.7);
    const { a } = fitTemperature(outcomes, 'one');
    const at = (t: number) => nll(tempered(outcomes, { min: t, a: t, b: 0 }));
    for (let t = 0.2; t < 8; t += 0.05) assert.ok(at(a) <= at(t) + 1e-9, String(t));
  });

  test('a curve over the number of options is found again', () => {
    const known: Temperature = { min: 0.05, a: 4, b: -0.8 };
    const outcomes = overconfident([2, 8, 40], 1_000, (n) => temperatureFor(known, n));
    const found = fitTemperature(outcomes, 'curve');
    for (const n of [2, 8, 40]) {
      const [is, was] = [temperatureFor(found, n), temperatureFor(known, n)];
      assert.ok(Math.abs(is - was) < 0.15 * was, `${n}: ${is} for ${was}`);
    }
    // Sizes beyond those that were seen are not sharpened further.
    assert.ok(temperatureFor(found, 255) >= temperatureFor(found, 40) - 1e-12);
  });

  test('what is always right or given nothing stays within bounds', () => {
    const certain = Array.from({ length: 50 }, (): Outcome => ({
      probabilities: [0.9, 0.1],
      right: 0,
      chosen: 0,
    }));
    const { a } = fitTemperature(certain, 'one');
    assert.ok(a >= 0.05 && a < 0.06);
    const nothing = Array.from({ length: 50 }, (): Outcome => ({
      probabilities: [1, 0],
      right: 1,
      chosen: 0,
    }));
    assert.ok(Number.isFinite(fitTemperature(nothing, 'one').a));
  });

  test('a shape needs examples', () => {
    const of = (sizes: readonly number[], count: number) => shapesFor(overconfident(sizes, count, () => 1));
    assert.deepEqual(of([2], 19), ['neutral']);
    assert.deepEqual(of([2, 3], 100), ['neutral', 'one']);
    assert.deepEqual(of([2, 3, 4], 19), ['neutral', 'one']);
    assert.deepEqual(of([2, 3, 4], 20), ['neutral', 'one', 'curve']);
  });
});

suite('calibrating', () => {
  const outcomes = [
    ...withKind(
      'noul',
      overconfident([2], 500, () => 3),
    ),
    ...withKind(
      'choice',
      overconfident([3, 10, 30], 200, () => 2),
    ),
    ...withKind(
      'score',
      overconfident([5], 5, () => 2),
    ),
  ];

  const fit = fitCalibration(outcomes);

  test('an engine that is too sure gets better on examples that were held out', () => {
    const { kinds, before, heldOut, temperatures } = fit;
    assert.ok(heldOut.nll < before.nll && heldOut.ece < before.ece / 2 && heldOut.brier < before.brier);
    assert.equal(heldOut.accuracy, before.accuracy);
    assert.equal(heldOut.examples, outcomes.length);
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ['noul', 'choice', 'score'],
    );
    assert.ok(Math.abs(temperatures.noul.a - 3) < 0.6);
  });

  test('a kind with few examples or none is left alone', () => {
    assert.deepEqual(fit.temperatures.score, { min: 1, a: 1, b: 0 });
    const nouls = withKind(
      'noul',
      overconfident([2], 50, () => 3),
    );
    assert.deepEqual(fitCalibration(nouls).temperatures.choice, { min: 1, a: 1, b: 0 });
  });

  test('the same outcomes give the same calibration', () => {
    assert.deepEqual(fitCalibration(outcomes), fit);
  });
});

suite('drift', () => {
  const then = { examples: 100, accuracy: 0.8, nll: 0.5, ece: 0.03 };
  const now = { ...then, brier: 0.2 };

  test('only what got worse by more than the bound counts, and both numbers are told', () => {
    assert.equal(toDrift(then, now, 0).moved, false);
    assert.equal(toDrift(then, { ...now, accuracy: 0.9, ece: 0 }, 0.02).moved, false);
    const fell = toDrift(then, { ...now, accuracy: 0.75 }, 0.02);
    assert.ok(fell.moved && /accuracy: 0\.8000 .* 0\.7500/.test(fell.lines.join('\n')));
    const rose = toDrift(then, { ...now, ece: 0.06 }, 0.02);
    assert.ok(rose.moved && /ECE: 0\.0300 .* 0\.0600/.test(rose.lines.join('\n')));
  });
});

test('the lowest place is found on a line and on a plane', () => {
  assert.ok(Math.abs(minimiseLine((x) => (x - 0.3) ** 2, [-2, 5]) - 0.3) < 1e-5);
  assert.ok(Math.abs(minimiseLine((x) => x, [-2, 5]) + 2) < 1e-5);
  const [x, y] = minimisePlane(([x, y]) => (x - y) ** 2 + (x + y - 1) ** 2, [-2, 2], [-3, 3]);
  assert.ok(Math.abs(x - 0.5) < 1e-3 && Math.abs(y - 0.5) < 1e-3);
});

test('a sample is drawn by the seed alone and keeps the order', () => {
  const items = Array.from({ length: 100 }, (_, index) => index);
  const drawn = sample(items, 10, 3);
  assert.deepEqual(drawn, sample(items, 10, 3));
  assert.notDeepEqual(drawn, sample(items, 10, 4));
  assert.deepEqual(
    drawn,
    drawn.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(drawn).size, 10);
  assert.deepEqual(sample(items, 1_000, 3), items);
  assert.deepEqual(
    shuffle(items, 5).toSorted((a, b) => a - b),
    items,
  );
});
