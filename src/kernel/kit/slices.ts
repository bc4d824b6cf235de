import { setImmediate } from 'node:timers/promises';

/** Longest stretch without letting others run. Unit: ms. */
const stretchMs = 2;

/** Runs steps to their result without letting others run. */
export function runAtOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** True once in `count` times, for work whose steps are too small to look at the clock after each. */
export function createPace(count: number): () => boolean {
  let left = count;
  return () => {
    if (--left > 0) return false;
    left = count;
    return true;
  };
}

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
