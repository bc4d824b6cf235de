import { moduleBeside } from '../../../kernel/kit/beside.ts';
import type { Caller } from '../../../kernel/kit/caller.ts';
import { JobPool } from '../../../kernel/kit/job-pool.ts';
import type { Lessons, PreparedLesson } from './learn.ts';

/** 5,000 examples of 255 options take a minute of a slow core. Unit: ms. */
const timeoutMs = 300_000;
const idleMs = 60_000;
/** The weights of 255 options are 0.8 MB, of which a step has twenty. */
const heapMb = 512;

/** One job of a thread. `stop` is shared memory: a number other than 0 ends it. */
export interface FitJob extends PreparedLesson {
  readonly stop: Int32Array;
}

/** Fits the head of one question. Rejects with JobError, or with the signal's reason, which ends the work. */
export type FitInThread = (lesson: PreparedLesson, caller: Caller) => Promise<Lessons>;

export interface FitThreads {
  readonly fit: FitInThread;
  close(): Promise<void>;
}

/** Threads for the arithmetic of fits, which would hold the server for seconds. Idle ones end. */
export function openFitThreads(threads: number): FitThreads {
  const workerUrl = moduleBeside('fit-worker', import.meta.url);
  const options = { workerUrl, name: 'fits', timeoutMs, threads, waitingMax: threads, idleMs, heapMb };
  const pool = new JobPool<FitJob, Lessons>(options);
  return {
    async fit(lesson, { account, signal }) {
      const stop = new Int32Array(new SharedArrayBuffer(4));
      const onAbort = () => void Atomics.store(stop, 0, 1);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        return await pool.run({ ...lesson, stop }, signal, account);
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
    close: () => pool.close(),
  };
}
