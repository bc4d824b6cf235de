/* oxlint-disable unicorn/require-post-message-target-origin -- a thread, not a window */
/** A storage thread that dies. Answers the first message, the begin, and ends at the second. */
import { parentPort } from 'node:worker_threads';

let messages = 0;
parentPort?.on('message', () => {
  if (messages++ > 0) process.exit(3);
  parentPort?.postMessage({ kind: 'outcomes', outcomes: [{ ok: true, rows: [], changes: 0 }], commits: 0 });
});
parentPort?.postMessage({ kind: 'opened' });
