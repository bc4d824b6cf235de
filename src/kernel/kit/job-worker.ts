import { isMainThread, type MessagePort } from 'node:worker_threads';
import { errorMessage } from './errors.ts';

// What libraries say about a job would wait in the thread's memory for a reader.
if (!isMainThread)
  for (const stream of [process.stdout, process.stderr])
    stream._writev = (_, done) => {
      done();
    };

/** Replies of the thread to a job: first that it begins, then its result. */
export type JobReply<Result> =
  /** `cpuMs` is what the thread has used so far. */
  | { readonly kind: 'begun'; readonly cpuMs: number }
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Does a job inside the thread of a `JobThread` and answers it with plain data. `movedOf` names buffers of the answer
 * to transfer.
 */
export async function answerJob<Result>(
  port: MessagePort,
  work: () => Promise<Result> | Result,
  movedOf: (result: Result) => readonly ArrayBuffer[] = () => [],
): Promise<void> {
  const reply = (message: JobReply<unknown>, moved: readonly ArrayBuffer[] = []): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    port.postMessage(message, [...moved]);
  };
  const { user, system } = process.threadCpuUsage();
  reply({ kind: 'begun', cpuMs: (user + system) / 1_000 });
  try {
    const result = await work();
    reply({ kind: 'done', result }, movedOf(result));
  } catch (error) {
    reply({ kind: 'failed', message: errorMessage(error) });
  }
}
