import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import {
  accuracy,
  auroc,
  brier,
  chance,
  floored,
  interval,
  macroF1,
  nll,
  percentile,
  ranksOf,
  spearman,
  type Outcome,
} from './metrics.ts';
import { ece, reliabilityBins, selectiveAccuracy } from './reliability.ts';

const near = (actual: number, expected: number, tolerance = 1e-12) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

function outcome(probabilities: readonly number[], right: number): Outcome {
  return { probabilities, right, chosen: probabilities.indexOf(Math.max(...probabilities)) };
}

const outcomes = fc.array(
  fc
    .tuple(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 6 }), fc.nat())
    .map(([weights, right]) => {
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      return outcome(
        weights.map((weight) => weight / total),
        right % weights.length,
      );
    }),
  { minLength: 1, maxLength: 60 },
);

/** Two right and two wrong, worked out by hand. */
const four = [
  outcome([0.8, 0.2], 0),
  outcome([0.6, 0.4], 1),
  outcome([0.5, 0.25, 0.25], 0),
  outcome([0.1, 0.9], 0),
];

suite('figures worked out by hand', () => {
  test('accuracy, chance, NLL and Brier', () => {
    near(accuracy(four), 0.5);
    near(chance(four), (3 * 0.5 + 1 / 3) / 4);
    near(nll(four), -(Math.log(0.8) + Math.log(0.4) + Math.log(0.5) + Math.log(0.1)) / 4);
    near(brier(four), (0.08 + 0.72 + 0.375 + 1.62) / 4);
  });

  test('macro-F1 counts every answer alike, and one that was never right as nothing', () => {
    const pairs = (text: string) =>
      text.split(' ').map((pair) => ({ right: pair.slice(0, 1), chosen: pair.slice(1) }));
    // a: 2 hits of 3 right and 2 chosen, 4/5. b: 1 of 1 and 3, 1/2. c: 0 of 1 and 0.
    near(macroF1(pairs('aa aa ab bb cb')), (4 / 5 + 1 / 2 + 0) / 3);
    near(macroF1(pairs('aa bb')), 1);
    near(macroF1(pairs('ab')), 0);
    assert.ok(Number.isNaN(macroF1([])));
  });

  test('a certain mistake costs the floor and is counted', () => {
    const wrong = [outcome([1, 0], 1), outcome([1, 0], 0)];
    near(nll(wrong), -Math.log(1e-12) / 2);
    assert.equal(floored(wrong), 1);
  });

  test('ECE over two bins', () => {
    // [0, 0.5) is empty; the rest has confidence 0.8, 0.6, 0.5, 0.9 and is right half of the time.
    near(ece(four, 2), 0.7 - 0.5);
    const [low, high] = reliabilityBins(four, 2);
    assert.deepEqual(low, { from: 0, to: 0.5, count: 0, confidence: null, accuracy: null });
    assert.equal(high?.count, 4);
  });

  test('the most confident part', () => {
    assert.deepEqual(
      [0.25, 0.5, 0.75, 1].map((coverage) => selectiveAccuracy(four, coverage)),
      [0, 0.5, 1 / 3, 0.5],
    );
    const tied = [outcome([0.7, 0.3], 0), outcome([0.7, 0.3], 1)];
    assert.equal(selectiveAccuracy(tied, 0.5), 0.5);
    assert.equal(selectiveAccuracy(tied.toReversed(), 0.5), 0.5);
  });

  test('nearest rank', () => {
    const values = [5, 1, 4, 2, 3];
    assert.deepEqual(
      [0, 0.2, 0.5, 0.95, 1].map((share) => percentile(values, share)),
      [1, 1, 3, 5, 5],
    );
    assert.ok(Number.isNaN(percentile([], 0.5)));
  });

  test('an interval of a share', () => {
    // Wilson for 8 of 10, as tables have it.
    const [low, high] = interval(0.8, 10);
    near(low, 0.4902, 1e-4);
    near(high, 0.9433, 1e-4);
    assert.deepEqual(interval(0, 10)[0], 0);
    near(interval(1, 10)[1], 1);
  });
});

suite('ranks', () => {
  test('equal values share a rank', () => {
    assert.deepEqual(ranksOf([10, 20, 10, 5]), [2.5, 4, 2.5, 1]);
    assert.deepEqual(ranksOf([]), []);
  });

  test('the order of two lists', () => {
    near(spearman([1, 2, 3], [10, 20, 90]), 1);
    near(spearman([1, 2, 3], [3, 2, 1]), -1);
    // 1 - 6 Σd² / (n (n² - 1)) with d = 0, 1, -1, 0
    near(spearman([1, 2, 3, 4], [1, 3, 2, 4]), 1 - 12 / 60);
    assert.ok(Number.isNaN(spearman([1, 2], [3, 3])));
  });

  test('AUROC is the share of pairs in order, whatever the list', () => {
    const scored = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.boolean()), { maxLength: 30 });
    fc.assert(
      fc.property(scored, (list) => {
        const trues = list.filter(([, truth]) => truth);
        const falses = list.filter(([, truth]) => !truth);
        const area = auroc(
          list.map(([score]) => score),
          list.map(([, truth]) => truth),
        );
        if (trues.length === 0 || falses.length === 0) return assert.ok(Number.isNaN(area));
        const won = trues.flatMap(([a]) => falses.map(([b]) => (a > b ? 1 : a === b ? 0.5 : 0)));
        near(area, won.reduce<number>((sum, value) => sum + value, 0) / won.length, 1e-9);
      }),
    );
  });
});

suite('calibration error', () => {
  test('equals the plain sum over bins', () => {
    fc.assert(
      fc.property(outcomes, (list) => {
        let expected = 0;
        for (let bin = 0; bin < 15; bin++) {
          const inside = list.filter(({ probabilities, chosen }) => {
            const confidence = probabilities[chosen] ?? 0;
            return Math.min(14, Math.floor(confidence * 15)) === bin;
          });
          const confidence = inside.reduce(
            (sum, { probabilities, chosen }) => sum + (probabilities[chosen] ?? 0),
            0,
          );
          const hits = inside.filter(({ right, chosen }) => right === chosen).length;
          expected += Math.abs(confidence - hits) / list.length;
        }
        near(ece(list), expected, 1e-9);
      }),
    );
  });

  test('every outcome is in one bin, also at 0 and 1', () => {
    fc.assert(
      fc.property(outcomes, (list) => {
        const edges = [
          ...list,
          outcome([1, 0], 0),
          outcome(
            Array.from({ length: 100 }, () => 0.01),
            0,
          ),
        ];
        assert.equal(
          reliabilityBins(edges).reduce((sum, { count }) => sum + count, 0),
          edges.length,
        );
      }),
    );
  });

  test('the whole coverage has the accuracy of all', () => {
    fc.assert(fc.property(outcomes, (list) => near(selectiveAccuracy(list, 1), accuracy(list), 1e-9)));
  });
});
