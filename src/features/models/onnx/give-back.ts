/** Between one return of memory and the next at least; each takes up to 10 ms. Unit: ms. */
const giveBackMs = 5_000;
/** Of mallopt(3): how much of a heap may be free at its end. The number is glibc's, the limit in bytes. */
const trimThreshold = -1;
const freeMax = 1_048_576;

/**
 * Has memory that nobody uses any more returned to the system, soon after each call. V8 compiles the runtime while a
 * model works, and glibc kept for the next time 120 MB and more of what had been taken by then (measured). Without glibc, and
 * before Node.js 26.1, nothing happens.
 */
export function createGiveBack(): () => void {
  const trimming = loadTrim();
  let due: NodeJS.Timeout | undefined;
  return () => {
    due ??= setTimeout(() => {
      due = undefined;
      void trimming.then((trim) => trim?.());
    }, giveBackMs).unref();
  };
}

/** Returns what is free anywhere in the heaps of the C library; null where there is nothing to call. */
export async function loadTrim(): Promise<(() => void) | null> {
  try {
    const { dlopen } = await import('node:ffi');
    const { functions } = dlopen(null, {
      mallopt: { arguments: ['i32', 'i32'], return: 'i32' },
      malloc_trim: { arguments: ['u64'], return: 'i32' },
    });
    functions.mallopt(trimThreshold, freeMax);
    return () => void functions.malloc_trim(0n);
  } catch {
    return null;
  }
}
