import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRunsMax } from './open-sandbox.ts';

const gibibyte = 2 ** 30;

test('half of the slots of the sandbox keep all processors busy, and there are never fewer than two', () => {
  assert.equal(toRunsMax(2, 8 * gibibyte), 4);
  assert.equal(toRunsMax(16, 64 * gibibyte), 32);
  assert.equal(toRunsMax(16, 8 * gibibyte), 8, 'where memory is scarce, that decides');
  assert.equal(toRunsMax(1, gibibyte), 2);
});
