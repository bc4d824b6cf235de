import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createRandom } from '../evaluation/sample.ts';
import { compareAnswers, difference, toAnswers, withAnswers, type Watched } from './drift.ts';

const options = 8;
const fittedRows = 400;
const streams = 200;
/** Answers between two looks. */
const step = 50;

/** An answer of a stream: `mix` leans towards the first options, `doubt` makes it less sure. */
function answer(random: () => number, { mix = 0, doubt = 0 } = {}): readonly number[] {
  const own = Math.floor(options * random() ** (1 + mix));
  const sure = Math.max(0.2, 1 - random() ** 2 * 0.7 - doubt * random());
  return Array.from({ length: options }, (_, at) => (at === own ? sure : (1 - sure) / (options - 1)));
}

const draw = (random: () => number, count: number, shift: object = {}) =>
  toAnswers(
    Array.from({ length: count }, () => answer(random, shift)),
    options,
  );

function watch(random: () => number): Watched {
  const baseline = draw(random, fittedRows);
  return { baseline, previous: null, current: toAnswers([], options), sinceMs: null };
}

/** After how many answers it is told; null where it is not within so many. */
function toldAfter(seed: number, answers: number, shift: object): number | null {
  const random = createRandom(seed);
  let watched = watch(random);
  for (let seen = step; seen <= answers; seen += step) {
    watched = withAnswers(watched, draw(random, step, shift), seen);
    if (watched.sinceMs !== null) return seen;
  }
  return null;
}

suite('drift', () => {
  test(`is told of none of ${streams} streams of 2,000 answers that are like those of the fit`, () => {
    const told = Array.from({ length: streams }, (_, seed) => toldAfter(seed, 2_000, {}));
    assert.deepEqual(
      told.filter((after) => after !== null),
      [],
    );
  });

  for (const [what, most, shift] of [
    ['another mix of answers', 700, { mix: 0.8 }],
    ['answers that are less sure', 200, { doubt: 0.2 }],
  ] as const)
    test(`is told of ${what} after ${most} answers at most, in each of ${streams} streams`, () => {
      const told = Array.from({ length: streams }, (_, seed) => toldAfter(seed, most, shift));
      assert.deepEqual(
        told.filter((after) => after === null),
        [],
      );
    });

  test('ends when answers are as before, and not at once', () => {
    const random = createRandom(7);
    let watched = watch(random);
    for (let seen = 0; seen < 500; seen += step)
      watched = withAnswers(watched, draw(random, step, { mix: 1 }), 1_000);
    assert.equal(watched.sinceMs, 1_000);
    watched = withAnswers(watched, draw(random, step), 2_000);
    assert.equal(watched.sinceMs, 1_000);
    for (let seen = 0; seen < 1_000; seen += step) watched = withAnswers(watched, draw(random, step), 2_000);
    assert.equal(watched.sinceMs, null);
    const { answers, baseline } = compareAnswers(watched);
    assert.equal(baseline, fittedRows);
    assert.ok(answers >= 500 && answers < 1_000 + step, String(answers));
  });

  test('is never told of fewer than 200 answers, however they differ', () => {
    const random = createRandom(8);
    const far = { mix: 9 };
    const few = withAnswers(watch(random), draw(random, 199, far), 1);
    assert.equal(few.sinceMs, null);
    assert.equal(withAnswers(few, draw(random, 1, far), 2).sinceMs, 2);
  });

  test('is measured as the books have it', () => {
    const { z, psi, psiByChance } = difference([50, 50], [70, 30]);
    // Chi-square 8.333 with one degree of freedom: p = 0.0039, of which 2.66 is the deviate.
    assert.ok(Math.abs(z - 2.66) < 0.05, String(z));
    assert.ok(Math.abs(psi - 0.167) < 0.01 && psiByChance === 0.02, String(psi));
    assert.deepEqual(difference([], []), { psi: 0, psiByChance: 0, z: 0 });
    assert.equal(difference([9], [4]).z, 0);
  });
});
