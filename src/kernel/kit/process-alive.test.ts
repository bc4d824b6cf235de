import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { isProcessAlive } from './process-alive.ts';

test('a process is alive until it has ended, and what is no id of one never is', () => {
  assert.equal(isProcessAlive(process.pid), true);
  const { pid } = spawnSync(process.execPath, ['--version']);
  assert.equal(isProcessAlive(pid), false);
  for (const none of [0, -1, -process.pid, 1.5, Number.NaN, Infinity])
    assert.equal(isProcessAlive(none), false);
});
