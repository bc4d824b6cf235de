import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { runAtOnce } from '../../../kernel/kit/slices.ts';
import { createRandom } from '../evaluation/sample.ts';
import { multiply, transposed } from './products.ts';

suite('products', () => {
  for (const [rows, columns, length] of [
    [4, 2, 8],
    [9, 5, 3],
    [1, 1, 1],
    [3, 77, 10],
  ] as const)
    test(`of ${rows} rows with ${columns} are those of each with each`, () => {
      const random = createRandom(rows);
      const left = Float64Array.from({ length: rows * length }, random);
      const right = Float64Array.from({ length: columns * length }, random);
      const into = new Float64Array(rows * columns).fill(Number.NaN);
      runAtOnce(multiply(into, left, right, length));
      for (let row = 0; row < rows; row++)
        for (let column = 0; column < columns; column++) {
          const own = left.subarray(row * length, (row + 1) * length);
          const expected = own.reduce((sum, x, i) => sum + x * (right[column * length + i] ?? 0), 0);
          assert.ok(Math.abs((into[row * columns + column] ?? Number.NaN) - expected) < 1e-12);
        }
    });

  test('yield before a slice of the server is over', () => {
    const length = 1_000;
    const steps = multiply(
      new Float64Array(10_000),
      new Float64Array(100_000),
      new Float64Array(100_000),
      length,
    );
    let yields = 0;
    while (steps.next().done !== true) yields++;
    assert.ok(yields >= 9, `${yields} yields in ten million products`);
  });
});

test('a matrix turned twice is the same', () => {
  const matrix = Float64Array.from([1, 2, 3, 4, 5, 6]);
  assert.deepEqual([...transposed(matrix, 3)], [1, 4, 2, 5, 3, 6]);
  assert.deepEqual(transposed(transposed(matrix, 3), 2), matrix);
});
