import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';

import type { JobReply } from './job-worker.ts';

export interface JobThreadOptions {
  /** Module that answers each message with `answerJob`. */
  readonly workerUrl: URL;
  readonly name: string;
  readonly workerData?: unknown;
  /** For one job, from when the thread begins with it, of the thread's own CPU: on a busy machine it waits for its turn. Unit: ms. */
  readonly timeoutMs: number;
  /** Waiting and running jobs; further ones are refused. */
  readonly jobsMax: number;
  /** Time without a job after which the thread is ended. Unit: ms. */
  readonly idleMs: number;
  readonly heapMb: number;
  /** Limit of buffers, which are outside the heap; none by default. */
  readonly outsideMb?: number;
}

/** `memory`: over its limit. `died`: the thread ended by an error outside the job. */
type JobFailure = 'busy' | 'closed' | 'timeout' | 'memory' | 'died' | 'failed';

/** `failed`: the job itself threw, and the message is its own. */
export class JobError extends Error {
  override readonly name = 'JobError';
  readonly reason: JobFailure;

  constructor(reason: JobFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}

interface Waiting<Job, Result> {
  readonly job: Job;
  readonly moved: readonly ArrayBuffer[];
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
  /** Resolves when the thread is done with it. */
  readonly ended: PromiseWithResolvers<void>;
}

/** Loading modules may take a second on a busy machine. */
const startMs = 30_000;
/** By how much longer than its timeout a job may take that does not get enough CPU. */
const starvedMs = 30_000;
const watchMs = 100;

/**
 * Runs jobs one after another in a thread, for work that would block the event loop.
 *
 * - **absent**: no thread; the next job starts one.
 * - **idle**: no job; ended after `idleMs`.
 * - **starting**: a job was sent and has not begun.
 * - **working**: its reply leads to the next job or idle.
 *
 * A job over its limits, or a dying thread, ends the thread and fails the job; the next job starts a new thread. Only
 * `#advance` takes jobs from the queue.
 */
export class JobThread<Job, Result> {
  readonly #options: JobThreadOptions;
  readonly #queue: Waiting<Job, Result>[] = [];
  #current: Waiting<Job, Result> | null = null;
  #worker: Worker | null = null;
  #ending: Promise<unknown> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  #spent: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: JobThreadOptions) {
    this.#options = options;
  }

  /**
   * Rejects with JobError, or with the signal's reason; a job under way then runs on and its result is dropped.
   * `moved` buffers of the job are transferred.
   */
  async run(job: Job, signal: AbortSignal, moved: readonly ArrayBuffer[] = []): Promise<Result> {
    signal.throwIfAborted();
    if (this.#isClosed) throw failure('closed', this.#options.name);
    const underWay = this.#current === null ? 0 : 1;
    if (this.#queue.length + underWay >= this.#options.jobsMax) throw failure('busy', this.#options.name);
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const waiting = { job, moved, resolve, reject, ended: Promise.withResolvers<void>() };
    this.#queue.push(waiting);
    const onAbort = () => {
      const place = this.#queue.indexOf(waiting);
      if (place >= 0) this.#queue.splice(place, 1);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#advance();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Resolves when no job is running; an abandoned one counts. */
  idle(): Promise<void> {
    return this.#current?.ended.promise ?? Promise.resolve();
  }

  /** Refuses waiting jobs and terminates the thread. May be called again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#queue.splice(0)) reject(failure('closed', this.#options.name));
    this.#end('closed');
    await this.#ending;
  }

  #advance(): void {
    if (this.#current !== null || this.#ending !== null || this.#isClosed) return;
    clearTimeout(this.#timer);
    const next = this.#queue.shift();
    if (next === undefined) {
      this.#worker?.unref();
      this.#timer = setTimeout(() => this.#end('closed'), this.#options.idleMs).unref();
      return;
    }
    this.#current = next;
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#timer = setTimeout(() => this.#end('timeout'), startMs);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(next.job, [...next.moved]);
  }

  #start(): Worker {
    const { workerUrl, name, workerData, heapMb } = this.#options;
    const worker = new Worker(workerUrl, {
      name,
      workerData,
      env: compileCache(),
      // Output belongs on nobody's terminal, and the thread drops it: a stream that is read here keeps the process, which an
      // idle thread does not (Node 26).
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32 },
    });
    worker.on('message', (reply: JobReply<Result>) => {
      if (this.#worker !== worker) return;
      if (reply.kind === 'begun') this.#begin(worker, reply.cpuMs);
      else
        this.#settle((current) =>
          reply.kind === 'done'
            ? current.resolve(reply.result)
            : current.reject(new JobError('failed', reply.message)),
        );
    });
    let reason: 'memory' | 'died' = 'died';
    // The exit that follows fails the job.
    worker.on('error', (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        reason = 'memory';
    });
    worker.on('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#settle((current) => current.reject(failure(reason, name)));
    });
    return worker;
  }

  #begin(worker: Worker, cpuMs: number): void {
    const { timeoutMs, outsideMb } = this.#options;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end('timeout'), timeoutMs + starvedMs);
    this.#spent = setTimeout(() => void this.#endWhenSpent(worker, cpuMs), timeoutMs);
    if (outsideMb === undefined) return;
    clearInterval(this.#watch);
    this.#watch = setInterval(() => void this.#measure(worker, outsideMb * 1_048_576), watchMs).unref();
  }

  /** `cpuMs` is what the thread had used when it began with the job. */
  async #endWhenSpent(worker: Worker, cpuMs: number): Promise<void> {
    const current = this.#current;
    try {
      const spentMs = (await cpuMsOf(worker)) - cpuMs;
      if (this.#worker !== worker || this.#current !== current) return;
      const leftMs = this.#options.timeoutMs - spentMs;
      if (leftMs <= 0) this.#end('timeout');
      else this.#spent = setTimeout(() => void this.#endWhenSpent(worker, cpuMs), Math.max(leftMs, watchMs));
    } catch {
      // The thread has ended, which its exit event reports.
    }
  }

  async #measure(worker: Worker, bytesMax: number): Promise<void> {
    try {
      const { external_memory: outside } = await worker.getHeapStatistics();
      if (outside > bytesMax && this.#worker === worker && this.#current !== null) this.#end('memory');
    } catch {
      // The thread has ended, which its exit event reports.
    }
  }

  #end(reason: 'closed' | 'timeout' | 'memory'): void {
    const worker = this.#worker;
    this.#worker = null;
    clearTimeout(this.#timer);
    if (worker !== null) {
      this.#ending = worker.terminate().finally(() => {
        this.#ending = null;
        this.#advance();
      });
    }
    this.#settle((current) => current.reject(failure(reason, this.#options.name)));
  }

  #settle(answer: (current: Waiting<Job, Result>) => void): void {
    clearInterval(this.#watch);
    clearTimeout(this.#spent);
    const current = this.#current;
    this.#current = null;
    if (current === null) return;
    answer(current);
    current.ended.resolve();
    this.#advance();
  }
}

const messages: Readonly<Record<Exclude<JobFailure, 'failed'>, string>> = {
  busy: 'has too many jobs',
  closed: 'is closed',
  timeout: 'took too long',
  memory: 'wanted too much memory',
  died: 'ended before the job did',
};

/** All that a thread has for an environment: without it, each start compiles again and takes the types off again. */
function compileCache(): Readonly<Record<string, string>> {
  const folder = getCompileCacheDir();
  // Node's own, below the one that was named.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/** Infinite where this Node.js cannot tell (before 24.6): the time on the clock counts there. */
async function cpuMsOf(worker: Worker): Promise<number> {
  if (!('cpuUsage' in worker)) return Number.POSITIVE_INFINITY;
  const { user, system } = await worker.cpuUsage();
  return (user + system) / 1_000;
}

function failure(reason: Exclude<JobFailure, 'failed'>, name: string): JobError {
  return new JobError(reason, `the thread "${name}" ${messages[reason]}`);
}
