/** A process that starts a thread or leaves a file open when it is asked to. */
import { open } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { once } from 'node:events';

/** Tells when it runs: a thread that is merely online still opens and closes what it is made of. */
const code = "require('node:worker_threads').parentPort.postMessage('runs'); setInterval(() => {}, 1_000);";
const kept: unknown[] = [];
const steps: Readonly<Record<string, () => Promise<void>>> = {
  async thread() {
    const worker = new Worker(code, { eval: true, name: 'late' });
    await once(worker, 'message');
    kept.push(worker);
  },
  async file() {
    kept.push(await open('/dev/null'));
  },
};

process.on('message', (step: string) => void steps[step]?.().then(() => process.send?.('done')));
// The threads that read files are there from now on.
await steps['file']?.();
process.send?.('ready');
