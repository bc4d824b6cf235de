import assert from 'node:assert/strict';
import { test } from 'node:test';

import { encode, toUnit } from './encode.ts';

const int8 = (values: readonly number[], dimensions = values.length) => [
  ...new Int8Array(Buffer.from(encode(Float32Array.from(values), dimensions, 'base64_int8'), 'base64')),
];
const bits = (values: readonly number[]) => [
  ...Buffer.from(encode(Float32Array.from(values), values.length, 'base64_binary'), 'base64'),
];

test('the largest value has 127, halves round away from zero, nothing wraps', () => {
  assert.deepEqual(int8([1, -1, 0.5, -0.5, 0]), [127, -127, 64, -64, 0]);
  assert.deepEqual(int8([2, 1, -3]), [85, 42, -127]);
  assert.deepEqual(int8([254, 1, -1, 3, -3]), [127, 1, -1, 2, -2]);
});

test('the zero vector is zero bytes, and so is what is left of a cut one', () => {
  assert.deepEqual(int8([0, 0, 0]), [0, 0, 0]);
  assert.deepEqual(int8([0, 0, 5], 2), [0, 0]);
  assert.deepEqual(bits(Array.from({ length: 16 }, () => 0)), [0, 0]);
});

test('bits are set above zero only, the first dimension in the highest bit', () => {
  assert.deepEqual(bits([1, 0, -1, 1e-30, 0, 0, 0, 2]), [0b1001_0001]);
  assert.deepEqual(bits([...Array.from({ length: 8 }, () => 1), 0, 0, 0, 0, 0, 0, 0, 1]), [255, 1]);
});

test('every length decodes to exactly its bytes', () => {
  const vector = Float32Array.from({ length: 2_560 }, (_, i) => Math.sin(i));
  for (const dimensions of [128, 136, 512, 1_000, 1_024, 2_560]) {
    assert.equal(Buffer.from(encode(vector, dimensions, 'base64_int8'), 'base64').length, dimensions);
    assert.equal(Buffer.from(encode(vector, dimensions, 'base64_binary'), 'base64').length, dimensions / 8);
  }
});

test('a vector keeps its direction, and has length 1 after it was cut', () => {
  const [x = 0, y = 0, ...rest] = toUnit(new Float32Array([3, 4, 12]), 2);
  assert.deepEqual(rest, []);
  assert.ok(Math.abs(x - 0.6) < 1e-7 && Math.abs(y - 0.8) < 1e-7, `${x}, ${y}`);
});

test('the zero vector stays what it is', () => {
  assert.deepEqual([...toUnit(new Float32Array(3), 3)], [0, 0, 0]);
});
