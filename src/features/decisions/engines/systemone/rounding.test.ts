import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { unrounded } from './rounding.ts';

const countOf = fc.integer({ min: 1, max: 255 });
const decimalsOf = fc.integer({ min: 2, max: 6 });
const rounded = (values: readonly number[], decimals: number) =>
  values.map((value) => Number(value.toFixed(decimals)));
const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** Distributions from nearly even to nearly certain: weights to a power between 0 and 12. */
const distribution = countOf.chain((count) =>
  fc
    .tuple(
      fc.array(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: count, maxLength: count }),
      fc.integer({ min: 0, max: 12 }),
    )
    .map(([weights, power]) => {
      const raised = weights.map((weight) => weight ** power);
      const sum = total(raised);
      return raised.map((weight) => weight / sum);
    }),
);

suite('what a server rounded', () => {
  test('twelve equal options with two decimals, and one of nearly even 255', () => {
    const twelve = (value: number) => Array.from({ length: 12 }, () => value);
    assert.deepEqual(rounded(unrounded(twelve(0.08)) ?? [], 12), twelve(0.083333333333));
    const wide = unrounded([0.01, ...Array.from({ length: 254 }, () => 0)]) ?? [];
    assert.ok((wide[0] ?? 0) >= 0.005 && (wide[0] ?? 1) <= 0.015, 'it is not made a certainty');
  });

  test('every honestly rounded distribution is accepted, sums to 1 and rounds to what was told', () => {
    fc.assert(
      fc.property(distribution, decimalsOf, (truth, decimals) => {
        const told = rounded(truth, decimals);
        // More than 200 even options are all 0.00, which says nothing.
        if (total(told) === 0) return;
        const values = unrounded(told);
        assert.ok(values !== null, `${told.length} options, ${decimals} decimals`);
        assert.ok(Math.abs(total(values) - 1) < 1e-12);
        values.forEach((value, index) => {
          assert.ok(value >= 0 && value <= 1);
          assert.ok(Math.abs(value - (told[index] ?? NaN)) <= 0.5 * 10 ** -decimals + 1e-9);
        });
      }),
      { numRuns: 500 },
    );
  });

  test('the order of options by probability stays, so the likeliest one stays the likeliest', () => {
    fc.assert(
      fc.property(distribution, decimalsOf, (truth, decimals) => {
        const told = rounded(truth, decimals);
        const values = unrounded(told);
        if (values === null) return;
        const order = told.map((_, index) => index).sort((a, b) => (told[a] ?? 0) - (told[b] ?? 0));
        order.reduce((before, index) => {
          assert.ok((values[before] ?? 0) <= (values[index] ?? 0));
          return index;
        });
      }),
    );
  });

  test('numbers that no rounding explains are refused', () => {
    fc.assert(
      fc.property(distribution, decimalsOf, fc.constantFrom(0, 0.5, 2), (truth, decimals, factor) => {
        // Half of a distribution over many options may be rounding: each lost less than half a step. However many
        // decimals there were, numbers such as 0.5 and 0 may be told with two.
        if (truth.length * 0.01 > 0.5) return;
        const told = rounded(truth, decimals).map((value) => value * factor);
        assert.equal(unrounded(told), null);
      }),
      { numRuns: 2_000 },
    );
    const certainTwice = Array.from({ length: 255 }, (_, index) => (index < 2 ? 1 : 0));
    assert.equal(unrounded(certainTwice), null, 'two certainties, however many options stand beside them');
    assert.equal(unrounded(Array.from({ length: 255 }, () => 0)), null, 'nothing at all');
  });

  test('full precision is scaled and keeps its zeros', () => {
    const values = unrounded([0.7500000123456789, 0.2500000123456789, 0]) ?? [];
    assert.ok(Math.abs(total(values) - 1) < 1e-15);
    assert.equal(values[2], 0);
  });
});
