import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '../../../test/support/code-points.ts';
import { choiceConfidence, choiceOf, scoreConfidence, scoreOf } from './answer.ts';

const even = (n: number) => Array.from({ length: n }, () => 1 / n);
const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-12, `${actual} is not ${expected}`);
/** Positive weights that sum to 1. */
const distribution = fc
  .integer({ min: 1, max: 255 })
  .chain((n) => fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: n, maxLength: n }))
  .map((weights) => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return total === 0 ? even(weights.length) : weights.map((weight) => weight / total);
  });

suite('contract 6.5', () => {
  test('the worked check', () => {
    near(choiceConfidence([0.9, 0.06, 0.04]), 0.85);
    near(scoreOf([0.1, 0.2, 0.7]), 1.6);
    near(scoreConfidence([0.1, 0.2, 0.7]), 0.4);
  });

  test('n = 1 is certain, n = 2 gives both formulas the same value', () => {
    assert.deepEqual([choiceConfidence([1]), scoreConfidence([1]), scoreOf([1])], [1, 1, 0]);
    for (const p of [0, 0.1, 0.25, 0.5, 0.7, 1])
      near(choiceConfidence([p, 1 - p]), scoreConfidence([p, 1 - p]));
  });

  test('n = 3, 10, 255: an even spread is 0 for a choice, one certain option is 1 for both', () => {
    for (const n of [2, 3, 10, 255]) {
      near(choiceConfidence(even(n)), 0);
      for (const index of [0, n - 1, Math.floor(n / 2)]) {
        const certain = even(n).map((_, at) => Number(at === index));
        assert.deepEqual(
          [choiceConfidence(certain), scoreConfidence(certain), scoreOf(certain)],
          [1, 1, index],
        );
      }
    }
    near(scoreConfidence([0.25, 0.5, 0.25]), 1 - 0.5 / (2 / 3));
    near(scoreConfidence([0, 0.5, 0, 0, 0, 0, 0, 0, 0.5, 0]), 0);
    near(scoreConfidence([0.1, 0.8, 0.1, 0, 0, 0, 0, 0, 0, 0]), 1 - 0.2 / 2.5);
  });

  test('the likeliest level of a tie is the lowest', () => {
    // From level 0 the mean distance is 0.6, from level 1 it would be 0.5.
    near(scoreConfidence([0.4, 0.4, 0.1, 0.1]), 1 - (0.4 + 0.2 + 0.3) / 1);
  });

  test('every value stays in its bounds', () => {
    fc.assert(
      fc.property(distribution, (p) => {
        for (const value of [choiceConfidence(p), scoreConfidence(p)]) assert.ok(value >= 0 && value <= 1);
        const score = scoreOf(p);
        assert.ok(score >= 0 && score <= p.length - 1);
        assert.ok(Math.abs(score - p.reduce((sum, value, index) => sum + value * index, 0)) <= 1e-9);
      }),
    );
  });
});

suite('choiceOf', () => {
  test('is the highest, and of equal ones the smallest name by code point', () => {
    assert.equal(choiceOf(['b', 'a', 'c'], [0.2, 0.2, 0.6]), 2);
    const cases: [string[], string][] = [
      [['b', 'a'], 'a'],
      [['a', 'B'], 'B'],
      [['ab', 'a'], 'a'],
      [['2', '10'], '10'],
      [['\u{1f600}', '\ue000'], '\ue000'],
      [['\u{1f600}', '\uffff'], '\uffff'],
      [['a\u{1f600}', 'a\ue000', 'a\u{10ffff}'], 'a\ue000'],
      [['\ud800', '\u{10000}'], '\ud800'],
      [['e\u0301', '\u00e9'], 'e\u0301'],
      [['constructor', '__proto__'], '__proto__'],
    ];
    for (const [names, winner] of cases) {
      assert.equal(names[choiceOf(names, even(names.length))], winner, names.join());
      assert.equal(names.toReversed()[choiceOf(names.toReversed(), even(names.length))], winner);
    }
  });

  test('does not depend on the order of the options', () => {
    const named = fc.uniqueArray(
      fc.tuple(fc.string({ unit: codePoint, minLength: 1, maxLength: 3 }), fc.constantFrom(0.1, 0.2, 0.3)),
      {
        minLength: 1,
        maxLength: 12,
        selector: ([name]) => name,
      },
    );
    fc.assert(
      fc.property(named, fc.nat(), (options, turn) => {
        const turned = [...options.slice(turn % options.length), ...options.slice(0, turn % options.length)];
        const winner = (list: typeof options) =>
          list[
            choiceOf(
              list.map(([name]) => name),
              list.map(([, p]) => p),
            )
          ];
        assert.deepEqual(winner(turned), winner(options));
      }),
    );
  });
});
