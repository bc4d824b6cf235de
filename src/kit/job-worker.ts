import type { MessagePort } from 'node:worker_threads';

/** What the thread says of a job: that it begins with it, then what became of it. */
export type JobReply<Result> =
  | { readonly kind: 'begun' }
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly message: string };

/** In the thread of a `JobThread`: does a job that came through the port, and answers it with plain data. */
export async function answerJob(port: MessagePort, work: () => Promise<unknown>): Promise<void> {
  const reply = (message: JobReply<unknown>): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    port.postMessage(message);
  };
  reply({ kind: 'begun' });
  try {
    reply({ kind: 'done', result: await work() });
  } catch (error) {
    reply({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
}
