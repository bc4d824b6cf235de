/** Entry of the threads of `openFitThreads`. */
import { parentPort } from 'node:worker_threads';
import { answerJob } from '../../../kernel/kit/job-worker.ts';
import { fitHead } from './fit-head.ts';
import type { FitJob } from './fit-threads.ts';

/** Runs steps to their result. Throws Error between two of them once it is stopped. */
function runUntilStopped<Result>(steps: Generator<void, Result>, stop: Int32Array): Result {
  for (;;) {
    if (Atomics.load(stop, 0) !== 0) throw new Error('stopped');
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const port = parentPort;
port?.on(
  'message',
  ({ lesson, before, stop }: FitJob) =>
    void answerJob(port, () => runUntilStopped(fitHead(lesson, before), stop)),
);
