import { availableParallelism, totalmem } from 'node:os';
import type { Config } from '../config.ts';
import type { Log } from '../kit/log.ts';
import { openSandbox, type Sandbox, type SandboxReport } from '../sandbox/open-sandbox.ts';

/** What one run may hold, about. Half of the machine is for the server. */
const runBytes = 536_870_912;
/** Runs that wait for a place. The longest wait is bounded by the deadline of the tool. */
const waitingMax = 64;

/** Looks for a runner in the background and logs what was found. `current()` is null where code cannot be run. */
export function openCodeSandbox({ sandbox: { runner } }: Config, log: Log): Sandbox {
  const runsMax = Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / 2 / runBytes)));
  const sandbox = openSandbox({ runner, runsMax, waitingMax });
  let isClosing = false;
  const tell = (report: SandboxReport) => {
    // A server that is stopped while it looks has found out nothing.
    if (runner !== 'off' && !isClosing) logReport(report, log);
  };
  void sandbox.settled.then(tell);
  return {
    ...sandbox,
    close() {
      isClosing = true;
      return sandbox.close();
    },
  };
}

function logReport({ runner, unfit }: SandboxReport, log: Log): void {
  if (runner === null) log.warn({ unfit }, 'no sandbox works here: agents cannot run code');
  else log.info({ runner, unfit }, 'the sandbox for code is ready');
}
