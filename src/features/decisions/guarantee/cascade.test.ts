import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createRandom, shuffle } from '../evaluation/sample.ts';
import { fitCascade, rowsNeededOfCascade, type JudgedRow } from './cascade.ts';
import type { Judged } from './threshold.ts';

/** Right as often as it says it is, times `honesty`. */
type Drawn = (random: () => number) => Judged;
const engine =
  (honesty: number, sureness: number): Drawn =>
  (random) => {
    const confidence = random() ** sureness;
    return { confidence, isWrong: random() >= confidence * honesty };
  };

const cascades: Readonly<Record<string, readonly Drawn[]>> = {
  honest: [engine(1, 1), engine(1, 0.3)],
  'first too sure of itself': [engine(0.7, 0.3), engine(1, 0.3)],
  'last no better than chance': [engine(1, 1), engine(0.5, 1)],
  three: [engine(1, 2), engine(1, 1), engine(1, 0.2)],
};

const draw = (stages: readonly Drawn[], count: number, seed: number): readonly JudgedRow[] => {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => stages.map((one) => one(random)));
};

/** Answered and wrong among rows that thresholds were not fitted on. */
function judge(rows: readonly JudgedRow[], thresholds: readonly (number | null)[]) {
  const count = { answered: 0, errors: 0 };
  for (const row of rows) {
    const given = row.find((one, stage) => {
      const threshold = thresholds[stage] ?? null;
      return one !== null && threshold !== null && one.confidence >= threshold;
    });
    if (given === undefined) continue;
    count.answered++;
    if (given?.isWrong === true) count.errors++;
  }
  return count;
}

suite('thresholds of a cascade', () => {
  for (const [name, stages] of Object.entries(cascades))
    test(`${name}: the error of all deciders together keeps to the bound`, () => {
      const many = draw(stages, 40_000, 999);
      const draws = Array.from({ length: 40 }, (_, seed) => draw(stages, 1_000, seed + 1));
      for (const maxError of [0.05, 0.1]) {
        const fits = draws.map((rows) => fitCascade(rows, { maxError, confidence: 0.9 }));
        const over = fits.filter(({ at }) => {
          if (at === null) return false;
          const { answered, errors } = judge(many, at.thresholds);
          return errors > answered * maxError;
        });
        // Four of forty may be over; more than ten would be so by chance once in a thousand times.
        assert.ok(over.length <= 10, `${maxError}: ${over.length} of 40`);
      }
    });

  test('the mean error over draws stays under the bound, and near it where rows are many', () => {
    const { honest = [] } = cascades;
    const many = draw(honest, 40_000, 999);
    const { at } = fitCascade(draw(honest, 20_000, 1), { maxError: 0.1, confidence: 0.95 });
    assert.ok(at !== null);
    const { answered, errors } = judge(many, at.thresholds);
    assert.ok(errors / answered > 0.08 && errors / answered <= 0.1, String(errors / answered));
    // What the first cannot answer goes on, and is not abstained from.
    assert.ok(answered / many.length > judge(many, [at.thresholds[0] ?? null, null]).answered / many.length);
  });

  test('what a decider passes on by its own confidence is not counted as its answer', () => {
    const { honest = [] } = cascades;
    const rows = draw(honest, 2_000, 7);
    const passing = rows.map(([first = null, second = null]): JudgedRow =>
      (first?.confidence ?? 0) < 0.99 ? [null, second] : [first, second],
    );
    const { at } = fitCascade(passing, { maxError: 0.1, confidence: 0.95 });
    const [first] = at?.stages ?? [];
    const sure = rows.filter(([one]) => (one?.confidence ?? 0) >= 0.99).length;
    assert.ok(at !== null && first !== undefined && first.answered <= sure, String(first?.answered));
  });

  test('with fewer rows than any test can pass with, nothing is answered', () => {
    const target = { maxError: 0.05, confidence: 0.95 };
    const right = (count: number): readonly JudgedRow[] =>
      Array.from({ length: count }, () => [{ confidence: 1, isWrong: false }]);
    const needed = rowsNeededOfCascade(target);
    assert.equal(needed, 97);
    assert.equal(fitCascade(right(needed - 1), target).at, null);
    assert.notEqual(fitCascade(right(needed), target).at, null);
    assert.equal(fitCascade([], target).at, null);
  });

  test('a decider that is always wrong answers nothing, and one that is always right answers all', () => {
    const rows = Array.from({ length: 500 }, (): JudgedRow => [
      { confidence: 0.9, isWrong: true },
      { confidence: 0.4, isWrong: false },
    ]);
    const { at } = fitCascade(rows, { maxError: 0.05, confidence: 0.95 });
    assert.equal(at?.thresholds[0], null);
    assert.equal(at?.coverage, 1);
    assert.deepEqual(
      at?.stages.map(({ asked, answered }) => answered / asked),
      [0, 1],
    );
  });

  test('the same rows give the same thresholds', () => {
    const { three = [] } = cascades;
    const rows = draw(three, 1_000, 3);
    const target = { maxError: 0.1, confidence: 0.9 };
    assert.deepEqual(fitCascade(rows, target), fitCascade([...rows], target));
    assert.notDeepEqual(fitCascade(rows, target), fitCascade(shuffle(rows, 9).slice(0, 600), target));
  });
});
