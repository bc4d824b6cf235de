import { SHARE_ENV, Worker } from 'node:worker_threads';

import type { Message, Outcome, Reply, WorkerInput } from './protocol.ts';

/** The storage thread, seen from the main thread. */
export interface Thread {
  /** Sends a batch; the outcomes are durable when it resolves. One at a time. Rejects when the thread ends. */
  send(message: Message): Promise<readonly Outcome[]>;
  /** Write transactions committed, as of the last reply. */
  commits(): number;
  isAlive(): boolean;
  /** Resolves to the reason once the thread is gone and has let go of the file, whatever ended it. */
  readonly ended: Promise<Error>;
  /** Checkpoints, closes the file and ends the thread. Nothing may be under way. */
  close(): Promise<void>;
}

/** Starts the thread and opens the file in it. Rejects with an Error of one line when the file is refused. */
export async function openThread(input: WorkerInput, workerUrl: URL): Promise<Thread> {
  const name = input.access === 'read' ? 'storage-reader' : 'storage';
  const line = new Line(new Worker(workerUrl, { name, workerData: input, env: SHARE_ENV }));
  const first = await line.next();
  if (first.kind === 'refused') {
    await line.end();
    throw new Error(first.message);
  }
  let commits = 0;
  return {
    async send(message) {
      const reply = await line.exchange(message);
      if (reply.kind !== 'outcomes') throw new Error(`the storage thread answered "${reply.kind}"`);
      commits = reply.commits;
      return reply.outcomes;
    },
    commits: () => commits,
    isAlive: () => line.isAlive(),
    ended: line.ended,
    async close() {
      if (!line.isAlive()) return;
      await line.exchange({ kind: 'close' });
      await line.end();
    },
  };
}

interface Waiter {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

/** Pairs each message with its reply. Keeps the process alive only while a reply is awaited. */
class Line {
  readonly #worker: Worker;
  readonly ended: Promise<Error>;
  #waiter: Waiter | null = null;
  #failure: Error | null = null;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (reply: Reply) => this.#take()?.resolve(reply));
    worker.on('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    this.ended = new Promise((resolve) => {
      worker.once('exit', (code) => {
        resolve(this.#fail(new Error(`the storage thread ended with code ${code}`)));
      });
    });
  }

  isAlive(): boolean {
    return this.#failure === null;
  }

  exchange(message: Message): Promise<Reply> {
    const reply = this.next();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    if (this.#failure === null) this.#worker.postMessage(message);
    return reply;
  }

  next(): Promise<Reply> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  /** Waits until the thread, which was asked to end or never opened, is gone. */
  async end(): Promise<void> {
    this.#worker.ref();
    await this.ended;
  }

  #take(): Waiter | null {
    const waiter = this.#waiter;
    this.#waiter = null;
    this.#worker.unref();
    return waiter;
  }

  /** The first failure says more than those that follow from it. */
  #fail(error: Error): Error {
    this.#failure ??= error;
    this.#take()?.reject(this.#failure);
    return this.#failure;
  }
}
