import { storeClosing, storeUnavailable, storeCrowded } from '../errors.ts';
import { Fault } from '../../faults.ts';
import type { Outcome, Statement } from './protocol.ts';
import type { Thread } from './thread.ts';

export type ReaderLimits = typeof defaultReaderLimits;

export const defaultReaderLimits = {
  /** Threads, opened on demand and reopened when they die. */
  threadsMax: 2,
  /** Waiting reads beyond which further ones are refused. */
  waitingMax: 1_000,
  /** Longest wait for a thread. */
  waitTimeMaxMs: 10_000,
  /** Longest read. Node cannot interrupt SQLite, so its thread stays busy until the read ends. */
  readTimeMaxMs: 30_000,
};

/** Reads of one kind that share the threads, at most `threadsMax` at a time. */
export interface ReadShare {
  run(statement: Statement): Promise<Outcome>;
}

interface Lane {
  readonly thread: Promise<Thread>;
  isBusy: boolean;
}

interface Read {
  readonly statement: Statement;
  readonly share: { readonly threadsMax: number; running: number };
  readonly promise: PromiseWithResolvers<Outcome>;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Reads beside the writing thread. Each sees what was committed before it began. First come, first served within a
 * share; a full share lets others pass.
 */
export class Readers {
  readonly #open: () => Promise<Thread>;
  readonly #limits: ReaderLimits;
  readonly #lanes = new Set<Lane>();
  readonly #waiting: Read[] = [];
  #isClosing = false;
  #running = 0;
  #idle: (() => void) | null = null;

  constructor(open: () => Promise<Thread>, limits: ReaderLimits) {
    this.#open = open;
    this.#limits = limits;
  }

  get waiting(): number {
    return this.#waiting.length + this.#running;
  }

  share(threadsMax: number): ReadShare {
    const share = { threadsMax, running: 0 };
    return { run: (statement) => this.#run(statement, share) };
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    for (const read of this.#waiting.splice(0)) this.#refuse(read, storeClosing());
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
    const lanes = [...this.#lanes];
    await Promise.all(lanes.map((lane) => lane.thread.then((thread) => thread.close()).catch(() => {})));
  }

  #run(statement: Statement, share: Read['share']): Promise<Outcome> {
    if (this.#isClosing) return Promise.reject(storeClosing());
    if (this.#waiting.length >= this.#limits.waitingMax) return Promise.reject(storeCrowded('reads'));
    const read: Read = { statement, share, promise: Promise.withResolvers(), timer: undefined };
    read.timer = setTimeout(() => this.#giveUpWaiting(read), this.#limits.waitTimeMaxMs).unref();
    this.#waiting.push(read);
    this.#advance();
    return read.promise.promise;
  }

  #advance(): void {
    for (;;) {
      const index = this.#waiting.findIndex(({ share }) => share.running < share.threadsMax);
      if (index < 0) return;
      const lane = this.#freeLane();
      if (lane === null) return;
      const [read] = this.#waiting.splice(index, 1);
      if (read !== undefined) void this.#serve(read, lane);
    }
  }

  #freeLane(): Lane | null {
    const free = [...this.#lanes].find(({ isBusy }) => !isBusy);
    if (free !== undefined) return free;
    if (this.#lanes.size >= this.#limits.threadsMax) return null;
    const lane: Lane = { thread: this.#open(), isBusy: false };
    this.#lanes.add(lane);
    const forget = (): boolean => this.#lanes.delete(lane);
    lane.thread.then(({ ended }) => ended.then(forget)).catch(forget);
    return lane;
  }

  /** Ends when the thread is free, which may be after the read timed out. */
  async #serve(read: Read, lane: Lane): Promise<void> {
    const { statement, share, promise } = read;
    lane.isBusy = true;
    share.running++;
    this.#running++;
    clearTimeout(read.timer);
    read.timer = setTimeout(() => promise.reject(tooLong()), this.#limits.readTimeMaxMs).unref();
    try {
      const thread = await lane.thread;
      const [outcome] = await thread.send({ kind: 'group', statements: [statement] });
      if (outcome === undefined) throw new Error('the storage thread left a statement unanswered');
      promise.resolve(outcome);
    } catch (cause) {
      // The next read opens a new thread.
      this.#lanes.delete(lane);
      promise.reject(storeUnavailable(cause));
    } finally {
      clearTimeout(read.timer);
      lane.isBusy = false;
      share.running--;
      this.#running--;
      if (this.#running === 0) this.#idle?.();
      this.#advance();
    }
  }

  #giveUpWaiting(read: Read): void {
    const index = this.#waiting.indexOf(read);
    if (index < 0) return;
    this.#waiting.splice(index, 1);
    this.#refuse(read, storeCrowded('reads'));
  }

  #refuse(read: Read, fault: Fault): void {
    clearTimeout(read.timer);
    read.promise.reject(fault);
  }
}

const tooLong = (): Fault =>
  new Fault('service_unavailable', 'The database took too long for this; ask for less of it at a time.', {
    retryAfterMs: 5_000,
  });
