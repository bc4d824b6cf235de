import { Fault } from '../../kernel/faults.ts';
import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import { failure } from './context-block.ts';
import type { ToolOutcome } from './tool.ts';

interface GuardedCall {
  readonly timeoutMs: number;
  /** The subject of the sentence by which the model hears of a failure. */
  readonly what: string;
  readonly onFailure: OnFailure;
}

/**
 * Runs a call of a tool to a service under a deadline. A failure becomes an outcome in a few words of our own: the reason
 * goes to the log. Only an abort of the run rejects.
 */
export async function guardedCall(
  signal: AbortSignal,
  { timeoutMs, what, onFailure }: GuardedCall,
  work: (signal: AbortSignal) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  signal.throwIfAborted();
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    return await work(AbortSignal.any([signal, deadline]));
  } catch (error) {
    signal.throwIfAborted();
    onFailure(what, error);
    if (deadline.aborted) return failure(`${what} took too long and was given up.`);
    if (error instanceof Fault && error.status < 500) return failure(`${what} failed: ${error.message}`);
    return failure(`${what} is not available right now.`);
  }
}
