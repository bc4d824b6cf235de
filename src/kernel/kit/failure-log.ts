import type { Clock } from './clock.ts';

/** Receives a failure that degrades an answer without preventing it. `what` is one of a few fixed names. */
export type OnFailure = (what: string, error: unknown) => void;

export interface FailureLine {
  readonly what: string;
  readonly err: unknown;
  /** Failures of the same kind since the last line. */
  readonly unlogged: number;
}

const everyMs = 10_000;

/** Writes at most one line per `what` in 10 s: absent backends and pages chosen by callers would flood a log. */
export function createFailureLog(write: (line: FailureLine) => void, clock: Clock): OnFailure {
  const last = new Map<string, { readonly at: number; unlogged: number }>();
  return (what, error) => {
    const before = last.get(what);
    const at = clock.monotonic();
    if (before !== undefined && at - before.at < everyMs) {
      before.unlogged++;
      return;
    }
    last.set(what, { at, unlogged: 0 });
    write({ what, err: causeOf(error), unlogged: before?.unlogged ?? 0 });
  };
}

/** A fault's message is for callers; its cause is for the log. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}
