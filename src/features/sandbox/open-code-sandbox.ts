import { availableParallelism, totalmem } from 'node:os';
import type { Config } from '../../kernel/config.ts';
import type { Log } from '../../kernel/kit/log.ts';
import { openSandbox, type Sandbox, type SandboxReport } from './open-sandbox.ts';

/** Memory of one run, about. Half of the machine is for the server. */
const runBytes = 536_870_912;
/** Runs that wait for a slot, half of them of one account. The longest wait is bounded by the deadline of the tool. */
const waitingMax = 128;

/** Looks for a runner in the background and logs the result. `current()` is null where code cannot be run. */
export function openCodeSandbox({ sandbox: { runner } }: Config, log: Log): Sandbox {
  return openSandbox({
    runner,
    runsMax: toRunsMax(availableParallelism(), totalmem()),
    waitingMax,
    onReport: (report) => {
      if (runner !== 'off') logReport(report, log);
    },
  });
}

/**
 * Twice the processors, because one account has at most half of the slots. Never one alone: a run takes up to a minute,
 * and another account would wait for its end.
 */
export function toRunsMax(processors: number, memoryBytes: number): number {
  return Math.max(2, Math.min(2 * processors, Math.floor(memoryBytes / 2 / runBytes)));
}

function logReport({ runner, unfit }: SandboxReport, log: Log): void {
  if (runner === null)
    log.warn(
      { unfit },
      'no sandbox works here: agents cannot run code; it is tried again where that may help',
    );
  else log.info({ runner, unfit }, 'the sandbox for code is ready');
}
