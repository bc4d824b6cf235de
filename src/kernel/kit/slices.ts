import { setImmediate } from 'node:timers/promises';

/** Longest stretch between yields. Unit: ms. */
const stretchMs = 2;

/** Runs steps to their result without yielding. */
export function runAtOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** True once in `count` calls, for steps too small to check the clock after each. */
export function createPace(count: number): () => boolean {
  let left = count;
  return () => {
    if (--left > 0) return false;
    left = count;
    return true;
  };
}

/**
 * Runs steps to their result, yielding to the event loop every few ms. Rejects with the signal's reason. Short work
 * never waits.
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
