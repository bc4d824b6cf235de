import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../kernel/faults.ts';
import { FairSlots } from '../../kernel/kit/fair-slots.ts';
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
  gone: [],
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

test('two endless runs of one account leave a slot for the run of another', async () => {
  const { runner, running } = heldRunner();
  const shared = withSlots(runner, new FairSlots({ slotsMax: 4, waitingMax: 8 }));
  const endless = [0, 1, 2].map(() => shared.run(run, limits, never, 'a'));
  await turn();
  assert.equal(running.length, 2);
  const other = shared.run(run, limits, never, 'b');
  await turn();
  assert.equal(running.length, 3);
  running[2]?.();
  assert.equal(await other, result);
  for (const index of [0, 1, 3]) {
    running[index]?.();
    await turn();
  }
  await Promise.all(endless);
});

test('one more than may wait is refused and told when to come again', async () => {
  const { runner, running } = heldRunner();
  const shared = withSlots(runner, new FairSlots({ slotsMax: 1, waitingMax: 0 }));
  const first = shared.run(run, limits, never, 'a');
  await assert.rejects(
    shared.run(run, limits, never, 'a'),
    (error) => error instanceof Fault && error.code === 'service_unavailable' && error.retryAfterMs === 2_000,
  );
  running[0]?.();
  await first;
});

test('a run that is aborted while it waits rejects as its signal says', async () => {
  const { runner, running } = heldRunner();
  const shared = withSlots(runner, new FairSlots({ slotsMax: 1, waitingMax: 1 }));
  const first = shared.run(run, limits, never, 'a');
  const stop = new AbortController();
  const waiting = shared.run(run, limits, stop.signal, 'a');
  stop.abort(new Error('gone'));
  await assert.rejects(waiting, /gone/);
  running[0]?.();
  assert.equal(await first, result);
});
