import { Fault } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import { insist } from '../../kernel/kit/retry.ts';
import type { JobEnd, JobRow, Jobs, JobWait } from './store/jobs.ts';
import type { UsageRow } from '../accounts/feature.ts';

/** The result of a job. */
export interface JobResult {
  /** JSON text. */
  readonly response: string;
  readonly usage: UsageRow;
}

export interface WorkerOptions {
  readonly jobs: Jobs;
  /** Runs a job. An error fails it: the message of a Fault is shown, any other is not. */
  readonly run: (job: JobRow, signal: AbortSignal) => Promise<JobResult>;
  /** Jobs at the same time; of one account half of them. */
  readonly workers: number;
  /** Unique to this process; never reused. */
  readonly owner: string;
  readonly clock: Clock;
  /** Time for which jobs and their results are kept. */
  readonly retentionMs: number;
  /** True where this process is the only one: what others left is begun again at once. */
  readonly isAlone: boolean;
  readonly onError: (error: unknown) => void;
  /** The backends of jobs; without it none is ever away. */
  readonly backends?: JobBackends;
  /** A job whose backend is away waits for it so long, from when it was queued. Unit: ms. */
  readonly giveUpAfterMs: number;
  /** In [0, 1). Spreads waits. */
  readonly random: () => number;
  /** First and longest wait of a job for its backend. Default 1,000 to 60,000. Unit: ms. */
  readonly waits?: { readonly firstMs: number; readonly maxMs: number };
  /** A job of a process that died is begun again after this. Default 15,000. Unit: ms. */
  readonly leaseMs?: number;
  /** Interval at which the store is asked for jobs. Default 1,000. Unit: ms. */
  readonly pollMs?: number;
}

export interface JobBackends {
  /** Every name of a model that a job may have. */
  readonly models: readonly string[];
  /** Whether all that this model runs on is away. */
  rests(model: string): boolean;
}

/** The most starts of a job: one that takes the process down with it must not do so for ever. */
const startsMax = 3;
const forgetEveryMs = 600_000;

/**
 * Runs jobs: accounts take turns, each with its oldest, and none has more than half of the workers. A job belongs to this
 * process as long as its lease, which is renewed at a third of its time; a job whose lease was lost is aborted, and its
 * result is refused by the store. So a job ends once.
 */
export function openWorkers(options: WorkerOptions): WorkerPool {
  const pool = new WorkerPool(options);
  pool.begin();
  return pool;
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
    // Not at the start: a clock that is far ahead then is mostly put right soon.
    every(forgetEveryMs, () => this.#forget());
    const first = isAlone ? jobs.abandonOthers(owner) : Promise.resolve();
    void first.then(() => this.wake(), this.#options.onError);
  }

  running(): number {
    return this.#runs.size;
  }

  /** Looks for jobs. */
  wake(): void {
    this.#isWoken = true;
    this.#filling ??= this.#fill().finally(() => (this.#filling = null));
  }

  /** Interrupts what runs and gives it back, as if it had not been begun. */
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
    const { jobs, workers, owner, clock, onError, backends } = this.#options;
    while (this.#isWoken && !this.#isClosed) {
      this.#isWoken = false;
      const free = workers - this.#runs.size;
      const restingModels = this.#restingModels();
      const isAllResting = restingModels.length > 0 && restingModels.length === backends?.models.length;
      if (free <= 0 || isAllResting) return;
      try {
        const claimed = await jobs.claim({
          owner,
          leaseMs: this.#leaseMs,
          jobsMax: free,
          // Jobs take minutes and are not interrupted, so one account leaves workers for those that come after it.
          perAccountMax: Math.ceil(workers / 2),
          nowMs: clock.now(),
          startsMax,
          restingModels,
        });
        for (const job of claimed) this.#start(job);
        if (claimed.length === free) this.#isWoken = true;
      } catch (error) {
        onError(error);
      }
    }
  }

  #start(job: JobRow): void {
    // One that was cancelled and queued once more, before the run that is under way here heard of it.
    this.#runs.get(job.id)?.controller.abort(new Fault('service_unavailable', 'begun anew'));
    const controller = new AbortController();
    const done = this.#work(job, controller.signal).catch(this.#options.onError);
    const run = { controller, done };
    this.#runs.set(job.id, run);
    void done.finally(() => {
      if (this.#runs.get(job.id) === run) this.#runs.delete(job.id);
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
      const wait = this.#waitFor(job, error);
      if (wait === null) await this.#insist(() => jobs.fail(end(), this.#reasonOf(error)), signal);
      else await this.#insist(() => jobs.postpone(end(), wait), signal);
      return;
    }
    await this.#insist(() => jobs.complete(end(), result.response, result.usage), signal);
  }

  /** How long the job waits for its backend; null where the failure is its own, or has lasted too long. */
  #waitFor({ waits: waited, queuedAtMs, starts }: JobRow, error: unknown): JobWait | null {
    const { clock, random, giveUpAfterMs, waits = { firstMs: 1_000, maxMs: 60_000 } } = this.#options;
    if (!(error instanceof Fault) || !saysLater(error)) return null;
    // One that takes too long by itself looks the same as a backend that is away, so its tries are counted.
    const countsStart = error.code === 'gateway_timeout';
    if (countsStart && starts >= startsMax) return null;
    if (clock.now() - queuedAtMs >= giveUpAfterMs) return null;
    const grownMs = waits.firstMs * 2 ** Math.min(waited, 30) * (1 + random());
    const waitMs = Math.min(waits.maxMs, Math.max(grownMs, error.retryAfterMs ?? 0));
    return { waitMs, countsStart };
  }

  #reasonOf(error: unknown): string {
    if (!(error instanceof Fault)) {
      this.#options.onError(error);
      return 'internal error';
    }
    return saysLater(error) ? `${error.message} ${this.#gaveUp()}` : error.message;
  }

  #gaveUp(): string {
    return `It was tried for ${Math.round(this.#options.giveUpAfterMs / 1_000)} seconds.`;
  }

  #restingModels(): readonly string[] {
    const { backends } = this.#options;
    return backends?.models.filter((model) => backends.rests(model)) ?? [];
  }

  /** Stores the end of a job. After the lease somebody else may have it. */
  #insist(write: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
    return insist(write, { clock: this.#options.clock, forMs: this.#leaseMs, signal });
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
    const { jobs, clock, giveUpAfterMs } = this.#options;
    const now = clock.now();
    await jobs.failExhausted(startsMax, now, 'interrupted');
    const resting = this.#restingModels();
    if (resting.length === 0) return;
    await jobs.giveUp(resting, now - giveUpAfterMs, now, `No backend was available. ${this.#gaveUp()}`);
  }

  async #forget(): Promise<void> {
    await this.#options.jobs.forget(this.#options.clock.now() - this.#options.retentionMs);
  }
}

/** Whether the same job can succeed once its backend is back. */
function saysLater({ code, away, final }: Fault): boolean {
  return !final && (away || code === 'service_unavailable');
}
