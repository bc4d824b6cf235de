import type { MessagePort } from 'node:worker_threads';

export type JobReply<Result> =
  { readonly ok: true; readonly result: Result } | { readonly ok: false; readonly message: string };

/** In the thread of a `JobThread`: does a job that came through the port, and answers it with plain data. */
export async function answerJob(port: MessagePort, work: () => Promise<unknown>): Promise<void> {
  let reply: JobReply<unknown>;
  try {
    reply = { ok: true, result: await work() };
  } catch (error) {
    reply = { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  port.postMessage(reply);
}
