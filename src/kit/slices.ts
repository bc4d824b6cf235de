import { setImmediate } from 'node:timers/promises';

/** Longest stretch without letting others run. Unit: ms. */
const stretchMs = 2;

/**
 * Runs steps to their result and lets the event loop turn every few milliseconds. Rejects with the signal's
 * reason when it aborts. Short work never waits.
 */
export async function runInSlices<T>(steps: Generator<void, T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let started = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - started < stretchMs) continue;
    await setImmediate();
    signal.throwIfAborted();
    started = performance.now();
  }
}
