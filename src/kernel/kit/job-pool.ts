import { FairSlots, SlotsFull } from './fair-slots.ts';
import { JobError, JobThread, type JobThreadOptions } from './job-thread.ts';

export interface JobPoolOptions extends Omit<JobThreadOptions, 'jobsMax'> {
  /** With two or more threads one account never has all, unless jobs are soon over. */
  readonly threads: number;
  /** Whether no job takes long, so that the next turn is enough for whoever comes. Default false. */
  readonly isSoonOver?: boolean;
  /** Waiting jobs, half of them of one account; further ones are refused. */
  readonly waitingMax: number;
}

/** Job threads shared by account. Each starts with its first job; the most recently used is taken first. */
export class JobPool<Job, Result> {
  readonly #threads: readonly JobThread<Job, Result>[];
  readonly #free: JobThread<Job, Result>[];
  readonly #slots: FairSlots;
  readonly #name: string;
  readonly #closing = new AbortController();

  constructor({ threads, waitingMax, isSoonOver = false, ...options }: JobPoolOptions) {
    this.#name = options.name;
    this.#threads = Array.from({ length: threads }, () => new JobThread({ ...options, jobsMax: 1 }));
    this.#free = [...this.#threads];
    this.#slots = new FairSlots({ slotsMax: threads, waitingMax, isSoonOver });
  }

  /** Like `JobThread.run`, for an account. */
  async run(
    job: Job,
    signal: AbortSignal,
    account: string,
    moved: readonly ArrayBuffer[] = [],
  ): Promise<Result> {
    return this.#onThread(account, signal, (thread) => thread.run(job, signal, moved));
  }

  /** Like `run`, for a job that is made when a thread is free for it; null where there is none any more. */
  async runNext(make: () => Job | null, account: string): Promise<Result | null> {
    const { signal } = this.#closing;
    return this.#onThread(account, signal, async (thread) => {
      const job = make();
      return job === null ? null : thread.run(job, signal);
    });
  }

  async #onThread<Outcome>(
    account: string,
    signal: AbortSignal,
    work: (thread: JobThread<Job, Result>) => Promise<Outcome>,
  ): Promise<Outcome> {
    const leave = await this.#enter(account, signal);
    const thread = this.#free.pop();
    if (thread === undefined) throw new Error('there are as many slots as threads');
    try {
      return await work(thread);
    } finally {
      void this.#giveBack(thread, leave);
    }
  }

  /** An abandoned job holds its account's slot until it ends. */
  async #giveBack(thread: JobThread<Job, Result>, leave: () => void): Promise<void> {
    await thread.idle();
    this.#free.push(thread);
    leave();
  }

  /** Refuses waiting jobs and terminates the threads. */
  async close(): Promise<void> {
    this.#closing.abort(new JobError('closed', `the threads "${this.#name}" are closed`));
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  async #enter(account: string, signal: AbortSignal): Promise<() => void> {
    try {
      return await this.#slots.enter(account, AbortSignal.any([signal, this.#closing.signal]));
    } catch (error) {
      if (!(error instanceof SlotsFull)) throw error;
      throw new JobError('busy', `the threads "${this.#name}" have too many jobs`);
    }
  }
}
