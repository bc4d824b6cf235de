import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../faults.ts';
import type { Clock } from '../kit/clock.ts';
import type { JobEnd, JobRow, Jobs } from '../storage/jobs.ts';
import type { UsageRow } from '../storage/usage.ts';

/** What a job came to. */
export interface JobResult {
  /** JSON text. */
  readonly response: string;
  readonly usage: UsageRow;
}

export interface WorkerOptions {
  readonly jobs: Jobs;
  /** The work itself. What it throws fails the job: a Fault is told, anything else is not. */
  readonly run: (job: JobRow, signal: AbortSignal) => Promise<JobResult>;
  /** Jobs at the same time; of one account half of them. */
  readonly workers: number;
  /** Of this process, and of no other that ever was. */
  readonly owner: string;
  readonly clock: Clock;
  /** Of jobs and their results. */
  readonly retentionMs: number;
  /** True where this process is the only one: what others left is begun again at once. */
  readonly isAlone: boolean;
  readonly onError: (error: unknown) => void;
  /** A job of a process that died is begun again after this. Default 15,000. Unit: ms. */
  readonly leaseMs?: number;
  /** How often is looked for jobs that nobody called for. Default 1,000. Unit: ms. */
  readonly pollMs?: number;
}

export interface Workers {
  /** There may be something to do. */
  wake(): void;
  running(): number;
  /** Interrupts what runs and gives it back, as if it had not been begun. */
  close(): Promise<void>;
}

/** How often a job is begun in all: one that takes the process down with it must not do so for ever. */
export const startsMax = 3;
const forgetEveryMs = 600_000;

/**
 * Runs jobs: accounts take turns, each with its oldest, and none has more than half of the workers. A job is this process's as long as its lease is: the lease is renewed at a third of its
 * time, a job whose lease was lost is aborted, and its result is refused by the store. So a job ends once.
 */
export function openWorkers(options: WorkerOptions): Workers {
  const pool = new WorkerPool(options);
  pool.begin();
  return {
    wake: () => pool.wake(),
    running: () => pool.running(),
    close: () => pool.close(),
  };
}

class WorkerPool {
  readonly #options: WorkerOptions;
  readonly #leaseMs: number;
  readonly #runs = new Map<string, { readonly controller: AbortController; readonly done: Promise<void> }>();
  readonly #timers: NodeJS.Timeout[] = [];
  #isClosed = false;
  #filling: Promise<void> | null = null;
  #isWoken = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? 15_000;
  }

  begin(): void {
    const { pollMs = 1_000, isAlone, jobs, owner } = this.#options;
    const every = (ms: number, work: () => Promise<unknown>) => {
      this.#timers.push(setInterval(() => void work().catch(this.#options.onError), ms).unref());
    };
    every(pollMs, () => this.#tidy());
    every(this.#leaseMs / 3, () => this.#renew());
    every(forgetEveryMs, () => this.#forget());
    const first = isAlone ? jobs.abandonOthers(owner) : Promise.resolve();
    void first.then(() => this.wake(), this.#options.onError);
    void this.#forget().catch(this.#options.onError);
  }

  running(): number {
    return this.#runs.size;
  }

  wake(): void {
    this.#isWoken = true;
    this.#filling ??= this.#fill().finally(() => (this.#filling = null));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#filling;
    const ids = [...this.#runs.keys()];
    const runs = [...this.#runs.values()];
    for (const { controller } of runs) controller.abort(new Fault('service_unavailable', 'interrupted'));
    await Promise.all(runs.map(({ done }) => done));
    await this.#options.jobs.release(ids, this.#options.owner).catch(this.#options.onError);
  }

  /** Claims as many as there is room for, until there is no room or nothing left. */
  async #fill(): Promise<void> {
    const { jobs, workers, owner, clock, onError } = this.#options;
    while (this.#isWoken && !this.#isClosed) {
      this.#isWoken = false;
      const free = workers - this.#runs.size;
      if (free <= 0) return;
      try {
        const claimed = await jobs.claim({
          owner,
          leaseMs: this.#leaseMs,
          jobsMax: free,
          // Jobs take minutes and are not interrupted, so one account leaves workers for those that come after it.
          perAccountMax: Math.ceil(workers / 2),
          nowMs: clock.now(),
          startsMax,
        });
        for (const job of claimed) this.#start(job);
        if (claimed.length === free) this.#isWoken = true;
      } catch (error) {
        onError(error);
      }
    }
  }

  #start(job: JobRow): void {
    const controller = new AbortController();
    const done = this.#work(job, controller.signal).catch(this.#options.onError);
    this.#runs.set(job.id, { controller, done });
    void done.finally(() => {
      this.#runs.delete(job.id);
      this.wake();
    });
  }

  async #work(job: JobRow, signal: AbortSignal): Promise<void> {
    const { jobs, run, owner, clock } = this.#options;
    const end = (): JobEnd => ({ id: job.id, owner, nowMs: clock.now() });
    let result: JobResult;
    try {
      result = await run(job, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Fault)) this.#options.onError(error);
      const message = error instanceof Fault ? error.message : 'internal error';
      await this.#insist(() => jobs.fail(end(), message), signal);
      return;
    }
    await this.#insist(() => jobs.complete(end(), result.response, result.usage), signal);
  }

  /** A store that is away for a moment must not cost a finished job. After the lease somebody else may have it. */
  async #insist(write: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
    const until = this.#options.clock.monotonic() + this.#leaseMs;
    for (let waitMs = 50; ; waitMs *= 2) {
      try {
        await write();
        return;
      } catch (error) {
        if (signal.aborted || this.#options.clock.monotonic() + waitMs > until) throw error;
        await pause(waitMs);
      }
    }
  }

  async #renew(): Promise<void> {
    const ids = [...this.#runs.keys()];
    const { jobs, owner } = this.#options;
    const kept = new Set(await jobs.extend(ids, { owner, leaseMs: this.#leaseMs }));
    for (const id of ids) {
      if (!kept.has(id)) this.#runs.get(id)?.controller.abort(new Fault('service_unavailable', 'lease lost'));
    }
  }

  async #tidy(): Promise<void> {
    this.wake();
    await this.#options.jobs.failExhausted(startsMax, this.#options.clock.now(), 'interrupted');
  }

  async #forget(): Promise<void> {
    await this.#options.jobs.forget(this.#options.clock.now() - this.#options.retentionMs);
  }
}
