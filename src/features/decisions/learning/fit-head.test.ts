import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { runAtOnce } from '../../../kernel/kit/slices.ts';
import { confidenceOf } from '../answer.ts';
import type { Distribution } from '../engine.ts';
import { createRandom } from '../evaluation/sample.ts';
import { findThreshold, toPoint } from '../guarantee/threshold.ts';
import { answerOf, fitHead, rowsMin } from './fit-head.ts';
import type { Lesson } from './head.ts';
import { minimiseSlope } from './minimise-slope.ts';

const dimensions = 16;

interface Drawing {
  readonly seed: number;
  readonly options: number;
  readonly perOption: number;
  /** How far rows lie from the middle of their option; 0 is on it. */
  readonly spread: number;
  /** Whether the right answers have anything to do with the rows. */
  readonly isNoise?: boolean;
  readonly prior?: (right: number) => Distribution;
}

/** Options are directions, and rows lie around them. The directions follow from the seed of the thousands. */
function draw({ seed, options, perOption, spread, isNoise = false, prior }: Drawing): Lesson {
  const directions = createRandom(Math.floor(seed / 1_000));
  const random = createRandom(seed);
  const middles = Array.from({ length: options }, () => direction(directions));
  const rows = Array.from({ length: options * perOption }, (_, row) => {
    const own = row % options;
    const noise = direction(random);
    const middle = middles[own] ?? noise;
    const vector = unit(middle.map((x, i) => x + spread * (noise[i] ?? 0)));
    return { vector, right: isNoise ? Math.floor(random() * options) : own };
  });
  const even = Array.from({ length: options }, () => 1 / options);
  return {
    kind: 'choice',
    options,
    vectors: rows.map(({ vector }) => vector),
    right: rows.map(({ right }) => right),
    priors: rows.map(({ right }) => prior?.(right) ?? even),
  };
}

const direction = (random: () => number) =>
  unit(Float32Array.from({ length: dimensions }, () => random() - 0.5));
const unit = (vector: Float32Array) => {
  const length = Math.hypot(...vector);
  return vector.map((x) => x / length);
};
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const fit = (lesson: Lesson) => runAtOnce(fitHead(lesson));

suite('a head', () => {
  test('answers rows that it has not seen, far better than the prior, and as surely as it is right', () => {
    const { head, report } = fit(draw({ seed: 1_001, options: 6, perOption: 20, spread: 0.9 }));
    assert.ok(head !== null && report !== null);
    const unseen = draw({ seed: 1_002, options: 6, perOption: 200, spread: 0.9 });
    const answers = unseen.vectors.map((vector, row) => answerOf(head, vector, unseen.priors[row] ?? []));
    const sure = answers.map((answer) => Math.max(...answer));
    const hits = answers.map((answer, row) =>
      Number(answer.indexOf(Math.max(...answer)) === unseen.right[row]),
    );
    assert.ok(mean(hits) > 0.8, String(mean(hits)));
    assert.ok(Math.abs(mean(hits) - mean(sure)) < 0.06, `${mean(hits)} right, ${mean(sure)} sure`);
    assert.ok(Math.abs(report.heldOut.accuracy - mean(hits)) < 0.1);
    for (const answer of answers) assert.ok(Math.abs(answer.reduce((a, b) => a + b, 0) - 1) < 1e-9);
  });

  test('is the same for the same examples', () => {
    const lesson = draw({ seed: 2_001, options: 4, perOption: 10, spread: 1 });
    assert.deepEqual(fit(lesson), fit(lesson));
  });

  test('is never worse than before on rows that were held out, of 100 random sets of labels', () => {
    let taken = 0;
    for (let set = 0; set < 100; set++) {
      const options = 2 + (set % 5);
      const { report } = fit(draw({ seed: set * 1_000 + 7, options, perOption: 8, spread: 0.5 + (set % 4) }));
      if (report?.taken !== true) continue;
      taken++;
      assert.ok(report.after.accuracy >= report.before.accuracy && report.after.nll < report.before.nll);
    }
    assert.ok(taken >= 40, `${taken} taken`);
  });

  test('is refused where there is nothing to learn, but for a chance of one in twenty', () => {
    const taken = Array.from({ length: 100 }, (_, set) =>
      fit(draw({ seed: set * 1_000 + 3, options: 3, perOption: 12, spread: 1, isNoise: true })),
    ).filter(({ head }) => head !== null);
    assert.ok(taken.length <= 8, `${taken.length} of 100`);
  });

  test('is refused where the engine knows better', () => {
    const prior = (right: number) => [0, 1, 2].map((option) => (option === right ? 0.98 : 0.01));
    const lesson = draw({ seed: 4_001, options: 3, perOption: 10, spread: 3, prior });
    const { head } = runAtOnce(
      fitHead(
        { ...lesson, priors: lesson.priors.map(() => [1 / 3, 1 / 3, 1 / 3]) },
        new Map(lesson.priors.entries()),
      ),
    );
    assert.equal(head, null);
  });

  test('of ten examples is not so sure that it is worse than before on rows that it has not seen', () => {
    const before = Math.log(2);
    const after: number[] = [];
    for (let set = 1; set <= 60; set++) {
      const common = { options: 2, spread: 2.5 };
      const { head } = fit(draw({ ...common, seed: set * 1_000 + 1, perOption: 5 }));
      if (head === null) continue;
      const unseen = draw({ ...common, seed: set * 1_000 + 2, perOption: 100 });
      const losses = unseen.vectors.map(
        (vector, row) =>
          -Math.log(answerOf(head, vector, unseen.priors[row] ?? [])[unseen.right[row] ?? 0] ?? 0),
      );
      after.push(mean(losses));
    }
    assert.ok(after.length >= 20 && mean(after) < before, `${after.length}: ${mean(after)}`);
  });

  test('keeps to a bound on rows that it has not seen, from the confidence that its held-out rows give', () => {
    const target = { maxError: 0.1, confidence: 0.95 };
    const sets = 20;
    let [promised, broken] = [0, 0];
    for (let set = 1; set <= sets; set++) {
      const common = { options: 4, spread: 1.6 };
      const { head, report } = fit(draw({ ...common, seed: set * 1_000 + 5, perOption: 50 }));
      const threshold = report === null ? null : findThreshold(report.judged, target);
      if (head === null || threshold === null) continue;
      promised++;
      const unseen = draw({ ...common, seed: set * 1_000 + 6, perOption: 500 });
      const rows = unseen.vectors.map((vector, row) => {
        const answer = answerOf(head, vector, unseen.priors[row] ?? []);
        const isWrong = answer.indexOf(Math.max(...answer)) !== unseen.right[row];
        return { confidence: confidenceOf('choice', answer), isWrong };
      });
      const { error } = toPoint(rows, threshold, target.confidence);
      if ((error ?? 0) > target.maxError) broken++;
    }
    assert.ok(promised >= sets / 2, `${promised} promised`);
    assert.ok(broken <= Math.max(1, promised * 0.05), `${broken} of ${promised}`);
  });

  test('takes ten examples and two answers', () => {
    const lesson = draw({ seed: 5_001, options: 2, perOption: rowsMin, spread: 0.1 });
    const first = (count: number) => ({
      ...lesson,
      vectors: lesson.vectors.slice(0, count),
      priors: lesson.priors.slice(0, count),
      right: lesson.right.slice(0, count),
    });
    assert.equal(fit(first(rowsMin - 1)).report, null);
    assert.notEqual(fit(first(rowsMin)).report, null);
    assert.equal(fit({ ...lesson, right: lesson.right.map(() => 0) }).report, null);
  });
});

test('downhill ends at the lowest place of a bowl', () => {
  const wanted = [3, -2, 0.5];
  const found = runAtOnce(
    minimiseSlope(
      new Float64Array(3),
      function* (at, slope) {
        yield;
        let value = 0;
        for (const [i, x] of at.entries()) {
          const off = x - (wanted[i] ?? 0);
          value += (i + 1) * off * off;
          slope[i] = 2 * (i + 1) * off;
        }
        return value;
      },
      30,
    ),
  );
  for (const [i, x] of found.entries()) assert.ok(Math.abs(x - (wanted[i] ?? 0)) < 1e-4, String(found));
});
