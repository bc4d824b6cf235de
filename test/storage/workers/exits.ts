/* oxlint-disable unicorn/require-post-message-target-origin -- a thread, not a window */
/** A storage thread that dies. Ends the thread at the first message. */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', () => process.exit(3));
parentPort?.postMessage({ kind: 'opened' });
