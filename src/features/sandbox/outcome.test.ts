import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChildOutcome } from './child.ts';
import { toResult } from './outcome.ts';
import type { SandboxLimits } from './runner.ts';

const limits: SandboxLimits = {
  wallMs: 1_000,
  cpuMs: 1_000,
  memoryBytesMax: 1_000,
  outputBytesMax: 1_000,
  filesBytesMax: 1_000,
  filesMax: 3,
  processesMax: 4,
};
const ended: ChildOutcome = { stdout: 'out', stderr: '', report: null, killed: null, durationMs: 5 };
const report = (over: object) =>
  Buffer.from(
    `${JSON.stringify({ exit: 0, out_of_time: false, left_out: 0, gone: [], files: [], ...over })}\n`,
  );

test('an exit code decides between completed and failed', () => {
  assert.equal(toResult({ ...ended, report: report({}) }, limits).status, 'completed');
  const failed = toResult({ ...ended, report: report({ exit: 2 }) }, limits);
  assert.deepEqual([failed.status, failed.exitCode, failed.stdout], ['failed', 2, 'out']);
});

test('processor time that is over is told as timed out', () => {
  const result = toResult({ ...ended, report: report({ exit: 152, out_of_time: true }) }, limits);
  assert.deepEqual([result.status, result.exitCode], ['timed_out', 152]);
});

const kills = [
  ['time', 'timed_out', 'The time was over.'],
  ['memory', 'failed', 'The memory limit was reached.'],
  ['output', 'failed', 'Too much was written.'],
  ['processes', 'failed', 'There were too many processes.'],
] as const;
for (const [killed, status, note] of kills)
  test(`a run killed for ${killed} says so, whatever it reported`, () => {
    const result = toResult({ ...ended, stderr: 'was', killed, report: report({}) }, limits);
    assert.deepEqual([result.status, result.exitCode, result.stderr], [status, 137, `was\n${note}`]);
  });

test('code that ends the sandbox has failed', () => {
  const result = toResult(ended, limits);
  assert.deepEqual(
    [result.status, result.exitCode, result.stderr],
    ['failed', 137, 'The code ended the sandbox itself.'],
  );
});

test('files that are not kept are counted on standard error', () => {
  const { stderr } = toResult({ ...ended, report: report({ left_out: 2 }) }, limits);
  assert.match(stderr, /^2 files were too many/);
});
