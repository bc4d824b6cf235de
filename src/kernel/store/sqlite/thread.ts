import { SHARE_ENV, Worker } from 'node:worker_threads';

import type { Message, Outcome, Reply, WorkerInput } from './protocol.ts';

/** Handle of a storage thread. */
export type Thread = Awaited<ReturnType<typeof openThread>>;

/** Starts the thread and opens the file in it. Rejects with a one-line Error when the file is refused. */
export async function openThread(input: WorkerInput, workerUrl: URL) {
  const name = input.access === 'read' ? 'storage-reader' : 'storage';
  const line = new Line(new Worker(workerUrl, { name, workerData: input, env: SHARE_ENV }));
  const first = await line.next();
  if (first.kind === 'refused') {
    await line.end();
    throw new Error(first.message);
  }
  let commits = 0;
  return {
    /** One batch at a time; outcomes are durable. Rejects when the thread ends. */
    async send(message: Message): Promise<readonly Outcome[]> {
      const reply = await line.exchange(message);
      if (reply.kind !== 'outcomes') throw new Error(`the storage thread answered "${reply.kind}"`);
      commits = reply.commits;
      return reply.outcomes;
    },
    /** Write transactions as of the last reply. */
    commits: () => commits,
    /** Resolves to the reason once the thread has ended and released the file. */
    ended: line.ended,
    /** Checkpoints, closes the file and ends the idle thread. */
    async close(): Promise<void> {
      if (!line.isAlive()) return;
      await line.exchange({ kind: 'close' });
      await line.end();
    },
  };
}

/** Pairs messages with replies. Keeps the process alive only while waiting for one. */
class Line {
  readonly #worker: Worker;
  readonly ended: Promise<Error>;
  #waiter: PromiseWithResolvers<Reply> | null = null;
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
    this.#waiter = Promise.withResolvers();
    return this.#waiter.promise;
  }

  /** Waits until the thread, which is ending, is gone. */
  async end(): Promise<void> {
    this.#worker.ref();
    await this.ended;
  }

  #take(): PromiseWithResolvers<Reply> | null {
    const waiter = this.#waiter;
    this.#waiter = null;
    this.#worker.unref();
    return waiter;
  }

  /** Later failures follow from the first. */
  #fail(error: Error): Error {
    this.#failure ??= error;
    this.#take()?.reject(this.#failure);
    return this.#failure;
  }
}
