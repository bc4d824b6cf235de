import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../faults.ts';
import type { SandboxLimits, SandboxResult, SandboxRun, SandboxRunner } from './runner.ts';
import { withSlots } from './slots.ts';

const run: SandboxRun = { language: 'python', code: '', files: [], readOnlyFiles: [] };
const limits: SandboxLimits = {
  wallMs: 1,
  cpuMs: 1,
  memoryBytesMax: 1,
  outputBytesMax: 1,
  filesBytesMax: 1,
  filesMax: 1,
  processesMax: 1,
};
const result: SandboxResult = {
  status: 'completed',
  stdout: '',
  stderr: '',
  exitCode: 0,
  durationMs: 0,
  files: [],
};
const never = new AbortController().signal;

/** A runner whose runs end when the test says so. */
function heldRunner(): { readonly runner: SandboxRunner; readonly running: (() => void)[] } {
  const running: (() => void)[] = [];
  const runner: SandboxRunner = {
    name: 'held',
    languages: ['python'],
    async run() {
      await new Promise<void>((resolve) => running.push(resolve));
      return result;
    },
    close: () => Promise.resolve(),
  };
  return { runner, running };
}

/** Lets everything that is ready go on. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('no more runs are under way than allowed, and those that wait go in their order', async () => {
  const { runner, running } = heldRunner();
  const slots = withSlots(runner, { runsMax: 2, waitingMax: 3 });
  const order: number[] = [];
  const all = [0, 1, 2, 3, 4].map((index) => slots.run(run, limits, never).then(() => order.push(index)));
  await turn();
  assert.equal(running.length, 2);
  for (let index = 0; index < 5; index++) {
    running[index]?.();
    await turn();
    assert.equal(running.length, Math.min(5, index + 3));
  }
  await Promise.all(all);
  assert.deepEqual(order, [0, 1, 2, 3, 4]);
});

test('one more than may wait is refused and told when to come again', async () => {
  const { runner, running } = heldRunner();
  const slots = withSlots(runner, { runsMax: 1, waitingMax: 0 });
  const first = slots.run(run, limits, never);
  await assert.rejects(
    slots.run(run, limits, never),
    (error) => error instanceof Fault && error.code === 'service_unavailable' && error.retryAfterMs === 2_000,
  );
  running[0]?.();
  await first;
});

test('a run that is aborted while it waits leaves the queue', async () => {
  const { runner, running } = heldRunner();
  const slots = withSlots(runner, { runsMax: 1, waitingMax: 1 });
  const first = slots.run(run, limits, never);
  const stop = new AbortController();
  const waiting = slots.run(run, limits, stop.signal);
  stop.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  const next = slots.run(run, limits, never);
  running[0]?.();
  await first;
  await turn();
  running[1]?.();
  assert.equal(await next, result);
});

test('a run that is aborted in the moment it gets its place takes nobody else out of the queue', async () => {
  const { runner, running } = heldRunner();
  const slots = withSlots(runner, { runsMax: 1, waitingMax: 2 });
  const first = slots.run(run, limits, never);
  const stop = new AbortController();
  const second = slots.run(run, limits, stop.signal);
  const third = slots.run(run, limits, never);
  await turn();
  running[0]?.();
  await first;
  stop.abort(new Error('gone'));
  for (let index = 1; index < 3; index++) {
    await turn();
    running[index]?.();
  }
  await Promise.allSettled([second]);
  assert.equal(await third, result);
});
