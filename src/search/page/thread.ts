import { Worker } from 'node:worker_threads';

import type { PageJob, PageReply } from './job.ts';

export type ThreadFailure = {
  readonly kind: 'failed';
  readonly reason: 'busy' | 'timeout' | 'too_complex' | 'unreadable';
};

export interface PageThreadOptions {
  readonly workerUrl: URL;
  /** For one page, from the moment at which the thread begins with it. Unit: ms. */
  readonly timeoutMs: number;
  /** Pages that may wait for the thread. */
  readonly queueMax: number;
  /** After this time without a page the thread is ended. Unit: ms. */
  readonly idleMs: number;
}

interface Waiting {
  readonly job: PageJob;
  /** Whether the bytes may be moved to the thread in place of a copy. */
  readonly isOwned: boolean;
  readonly resolve: (reply: PageReply | ThreadFailure) => void;
}

// Loading the parsers takes a second on a busy machine.
const startMs = 30_000;
const watchMs = 100;
const heapMb = 384;
// Buffers stand outside the heap and its limit: a PDF file of 20 MB may unpack to gigabytes.
const outsideBytesMax = 268_435_456;

/**
 * The thread that reads pages, seen from the thread that serves. One page at a time.
 *
 * absent: no thread; the next page starts one. idle: the thread waits; after `idleMs` it is ended (absent).
 * starting: a page was sent, the thread has not begun. reading: it has; a reply leads to idle or the next page.
 * A page that takes too long or too much, and a thread that dies, end the thread: its page fails, and the next
 * waiting page starts a new one. Only `#advance` takes pages from the queue.
 */
export class PageThread {
  readonly #options: PageThreadOptions;
  readonly #queue: Waiting[] = [];
  #current: Waiting | null = null;
  #worker: Worker | null = null;
  #ending: Promise<unknown> | null = null;
  #deadline: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: PageThreadOptions) {
    this.#options = options;
  }

  /** Rejects as the signal says; the thread then drops the page, or finishes it for nobody. */
  async run(job: PageJob, isOwned: boolean, signal: AbortSignal): Promise<PageReply | ThreadFailure> {
    signal.throwIfAborted();
    if (this.#isClosed || this.#queue.length >= this.#options.queueMax) return failed('busy');
    const { promise, resolve, reject } = Promise.withResolvers<PageReply | ThreadFailure>();
    const waiting: Waiting = { job, isOwned, resolve };
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

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { resolve } of this.#queue.splice(0)) resolve(failed('busy'));
    this.#end('busy');
    await this.#ending;
  }

  #advance(): void {
    if (this.#current !== null || this.#ending !== null) return;
    const next = this.#queue.shift();
    clearTimeout(this.#deadline);
    if (next === undefined) {
      this.#worker?.unref();
      this.#deadline = setTimeout(() => this.#end('busy'), this.#options.idleMs).unref();
      return;
    }
    this.#current = next;
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#deadline = setTimeout(() => this.#end('timeout'), startMs);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(next.job, transferable(next));
  }

  #start(): Worker {
    const worker = new Worker(this.#options.workerUrl, {
      name: 'pages',
      env: {},
      // What parsers print about a page is for nobody's terminal.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32 },
    });
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('message', (reply: PageReply) => {
      if (this.#worker !== worker) return;
      if (reply.kind === 'begun') this.#begin(worker);
      else this.#settle(reply);
    });
    let reason: ThreadFailure['reason'] = 'unreadable';
    worker.on('error', (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        reason = 'too_complex';
    });
    worker.on('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#settle(failed(reason));
    });
    return worker;
  }

  #begin(worker: Worker): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#end('timeout'), this.#options.timeoutMs);
    clearInterval(this.#watch);
    this.#watch = setInterval(() => void this.#measure(worker), watchMs).unref();
  }

  async #measure(worker: Worker): Promise<void> {
    try {
      const { external_memory: outside } = await worker.getHeapStatistics();
      if (outside > outsideBytesMax && this.#worker === worker && this.#current !== null)
        this.#end('too_complex');
    } catch {
      // The thread ended meanwhile, which its own event tells.
    }
  }

  /** Ends the thread in whatever it does. */
  #end(reason: ThreadFailure['reason']): void {
    const worker = this.#worker;
    this.#worker = null;
    if (worker !== null) {
      const ending = worker.terminate().finally(() => {
        this.#ending = null;
        if (!this.#isClosed) this.#advance();
      });
      this.#ending = ending;
    }
    this.#settle(failed(reason));
  }

  #settle(reply: PageReply | ThreadFailure): void {
    clearTimeout(this.#deadline);
    clearInterval(this.#watch);
    const current = this.#current;
    this.#current = null;
    current?.resolve(reply);
    if (!this.#isClosed && current !== null) this.#advance();
  }
}

function transferable({ job, isOwned }: Waiting): ArrayBuffer[] {
  const { buffer } = job.bytes;
  return isOwned && buffer instanceof ArrayBuffer && buffer.byteLength === job.bytes.byteLength
    ? [buffer]
    : [];
}

function failed(reason: ThreadFailure['reason']): ThreadFailure {
  return { kind: 'failed', reason };
}
