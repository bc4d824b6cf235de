import assert from 'node:assert/strict';
import { test } from 'node:test';
import { threadsThatSuit } from './open-onnx-model.ts';

test('a model has half the cores, four at most, and no more than one thread for each GiB', () => {
  const gib = 1_073_741_824;
  for (const [cores, bytes, threads] of [
    [1, 16 * gib, 1],
    [2, 16 * gib, 1],
    [4, 16 * gib, 2],
    [8, 16 * gib, 4],
    [64, 512 * gib, 4],
    [8, 2.5 * gib, 2],
    [8, gib / 2, 1],
  ] as const)
    assert.equal(threadsThatSuit(cores, bytes), threads, `${cores} cores, ${bytes} bytes`);
});
