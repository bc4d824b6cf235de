/* oxlint-disable unicorn/require-post-message-target-origin -- a thread, not a window */
/** A storage thread that dies. Ends by an exception at the first message. */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', () => {
  throw new Error('on purpose');
});
parentPort?.postMessage({ kind: 'opened' });
