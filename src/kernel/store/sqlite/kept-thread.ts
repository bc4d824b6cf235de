import type { Message, Outcome, WorkerInput } from './protocol.ts';
import { openThread, type Thread } from './thread.ts';

export interface ReopenLimits {
  /** Wait before the first attempt; each further one waits twice as long. */
  readonly pauseMinMs: number;
  readonly pauseMaxMs: number;
  /** Deaths and failed attempts in a row after which nobody tries any more. */
  readonly failuresMax: number;
  /** A thread that lived this long has begun anew: earlier failures are forgotten. */
  readonly steadyMs: number;
}

/** Eight failures are about eleven seconds of waiting. */
export const defaultReopenLimits: ReopenLimits = {
  pauseMinMs: 100,
  pauseMaxMs: 5_000,
  failuresMax: 8,
  steadyMs: 60_000,
};

/** What happens to the thread that writes. */
export interface ThreadEvents {
  /** It died; what was under way was rejected. It is opened again. */
  ended(cause: Error): void;
  reopened(): void;
  /** It died, or could not be opened, again and again: nothing works in this process from here on. */
  lost(reason: Error): void;
}

interface KeptThreadOptions {
  readonly input: WorkerInput;
  readonly workerUrl: URL;
  readonly limits: ReopenLimits;
  readonly events: ThreadEvents;
}

/**
 * A storage thread that is opened again when it dies.
 *
 * `open`: it takes messages. `away`: it died; the next attempt waits or is under way. `lost`: too many attempts failed.
 * `closed`: its opener has closed it. Only `KeptThread` changes the state.
 */
export class KeptThread {
  readonly #options: KeptThreadOptions;
  #thread: Thread;
  #state: 'open' | 'away' | 'lost' | 'closed' = 'open';
  #failures = 0;
  /** Of threads that are gone. */
  #commits = 0;
  #timer: NodeJS.Timeout | undefined;
  #attempt: Promise<void> = Promise.resolve();

  private constructor(options: KeptThreadOptions, thread: Thread) {
    this.#options = options;
    this.#thread = thread;
    this.#watch(thread);
  }

  /** Rejects with an Error of one line when the file is refused; the first opening is not repeated. */
  static async open(options: KeptThreadOptions): Promise<KeptThread> {
    return new KeptThread(options, await openThread(options.input, options.workerUrl));
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get commits(): number {
    return this.#commits + this.#thread.commits();
  }

  /** One at a time. Rejects when the thread is away or ends meanwhile: what happened to the message is unknown. */
  send(message: Message): Promise<readonly Outcome[]> {
    return this.#thread.send(message);
  }

  async close(): Promise<void> {
    const wasOpen = this.#state === 'open';
    this.#state = 'closed';
    clearTimeout(this.#timer);
    await this.#attempt;
    if (wasOpen) await this.#thread.close().catch(ignore);
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

function ignore(): void {}
