import { createContext, Script } from 'node:vm';

/** Runs work that must not hold up this process for longer than this. Unit: ms. */
export type RunBounded = <Value>(timeoutMs: number, work: () => Value) => Value;

/**
 * A schema that a caller wrote may take exponential time to compile or to check, and nothing in JavaScript stops a
 * function that runs; the watchdog of `vm` does, wherever the function came from. It isolates nothing and needs not to:
 * the work is ours. Costs 0.1 ms for each run. Throws what the work throws, and a
 * BoundsError when the time is over.
 */
export function createBoundedRun(): RunBounded {
  const box: { work: (() => void) | null } = { work: null };
  const context = createContext(box);
  const script = new Script('work()');
  return (timeoutMs, work) => {
    const outcome: { value?: ReturnType<typeof work> } = {};
    const before = box.work;
    box.work = () => void (outcome.value = work());
    try {
      script.runInContext(context, { timeout: timeoutMs });
    } catch (error) {
      if (isTimeout(error)) throw new BoundsError(`not done in ${timeoutMs} ms`);
      throw error;
    } finally {
      box.work = before;
    }
    return outcome.value as ReturnType<typeof work>;
  };
}

export class BoundsError extends Error {
  override readonly name = 'BoundsError';
}

function isTimeout(error: unknown): boolean {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
