/** Preloaded into a server: ends its storage threads at SIGUSR2, and each one that starts after the second. */
import type { Worker } from 'node:worker_threads';

let thread: Worker | null = null;
let signals = 0;

function end(worker: Worker | null): void {
  void worker?.terminate();
}

process.on('worker', (worker: Worker) => {
  if (worker.threadName !== 'storage') return;
  thread = worker;
  if (signals > 1) end(worker);
});
process.on('SIGUSR2', () => {
  signals++;
  end(thread);
});
