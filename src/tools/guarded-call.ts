import { Fault } from '../faults.ts';
import { failure } from './material.ts';
import type { ToolOutcome } from './tool.ts';

/**
 * Runs what a tool asks of others under a deadline. What fails becomes an outcome in a few words, without a word of
 * whoever failed; only an abort of the run rejects.
 */
export async function guardedCall(
  signal: AbortSignal,
  timeoutMs: number,
  what: string,
  work: (signal: AbortSignal) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  signal.throwIfAborted();
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    return await work(AbortSignal.any([signal, deadline]));
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) return failure(`${what} took too long and was given up.`);
    if (error instanceof Fault && error.status < 500) return failure(`${what} failed: ${error.message}`);
    return failure(`${what} is not available right now.`);
  }
}
