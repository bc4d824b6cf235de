import type { Message, Outcome, WorkerInput } from './protocol.ts';
import { openThread, type Thread } from './thread.ts';

export type ReopenLimits = typeof defaultReopenLimits;

/** Eight failures take about eleven seconds. */
export const defaultReopenLimits = {
  /** First wait, doubled for each attempt. */
  pauseMinMs: 100,
  pauseMaxMs: 5_000,
  /** Deaths and failed attempts in a row before giving up. */
  failuresMax: 8,
  /** Lifetime after which earlier failures are forgotten. */
  steadyMs: 60_000,
};

/** Events of the writing thread. */
export interface ThreadEvents {
  /** It died, is reopened, and running statements were rejected. */
  ended(cause: Error): void;
  reopened(): void;
  /** It keeps dying or cannot be opened: the process is of no further use. */
  lost(reason: Error): void;
}

interface KeptThreadOptions {
  readonly input: WorkerInput;
  readonly workerUrl: URL;
  readonly limits: ReopenLimits;
  readonly events: ThreadEvents;
}

/**
 * A storage thread that is reopened when it dies.
 *
 * `open`: takes messages. `away`: died; an attempt waits or runs. `lost`: too many attempts failed. `closed`: by its
 * opener. Only `KeptThread` changes the state.
 */
export class KeptThread {
  readonly #options: KeptThreadOptions;
  #thread: Thread;
  #state: 'open' | 'away' | 'lost' | 'closed' = 'open';
  #failures = 0;
  /** Of earlier threads. */
  #commits = 0;
  #timer: NodeJS.Timeout | undefined;
  #attempt: Promise<void> = Promise.resolve();

  private constructor(options: KeptThreadOptions, thread: Thread) {
    this.#options = options;
    this.#thread = thread;
    this.#watch(thread);
  }

  /** Rejects with a one-line Error when the file is refused; the first attempt is not repeated. */
  static async open(options: KeptThreadOptions): Promise<KeptThread> {
    return new KeptThread(options, await openThread(options.input, options.workerUrl));
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get commits(): number {
    return this.#commits + this.#thread.commits();
  }

  /** One at a time. Rejects when the thread ends: whether the message took effect is unknown. */
  send(message: Message): Promise<readonly Outcome[]> {
    return this.#thread.send(message);
  }

  async close(): Promise<void> {
    const wasOpen = this.#state === 'open';
    this.#state = 'closed';
    clearTimeout(this.#timer);
    await this.#attempt;
    if (wasOpen) await this.#thread.close().catch(() => {});
  }

  #watch(thread: Thread): void {
    void thread.ended.then((cause) => this.#leave(cause));
    this.#timer = setTimeout(() => (this.#failures = 0), this.#options.limits.steadyMs).unref();
  }

  #leave(cause: Error): void {
    if (this.#state !== 'open') return;
    this.#state = 'away';
    this.#options.events.ended(cause);
    this.#fail(cause);
  }

  #fail(cause: Error): void {
    clearTimeout(this.#timer);
    const { pauseMinMs, pauseMaxMs, failuresMax } = this.#options.limits;
    this.#failures++;
    if (this.#failures >= failuresMax || this.#options.input.path === ':memory:') {
      this.#state = 'lost';
      this.#options.events.lost(cause);
      return;
    }
    const pauseMs = Math.min(pauseMaxMs, pauseMinMs * 2 ** (this.#failures - 1));
    this.#timer = setTimeout(() => {
      this.#attempt = this.#reopen();
    }, pauseMs).unref();
  }

  async #reopen(): Promise<void> {
    const { input, workerUrl } = this.#options;
    try {
      const access = input.access === 'read' ? 'read' : 'reopen';
      const thread = await openThread({ ...input, access }, workerUrl);
      if (this.#state === 'closed') {
        await thread.close();
        return;
      }
      this.#commits += this.#thread.commits();
      this.#thread = thread;
      this.#state = 'open';
      this.#watch(thread);
      this.#options.events.reopened();
    } catch (error) {
      if (this.#state === 'away') this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
