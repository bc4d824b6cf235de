import type { Clock } from '../../../kernel/kit/clock.ts';

export interface Deadline {
  /** Aborts when the time is over, and with the signal of the turn. */
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
}

const sharedMs = 1_000;

/**
 * Deadlines of rows of one turn. Rows that begin within a second share one, which leaves each the whole time: a signal of
 * its own costs a row more than being read.
 */
export function createDeadlines(timeoutMs: number, clock: Clock): (turn: AbortSignal) => Deadline {
  let current: Deadline | null = null;
  let untilMs = 0;
  return (turn) => {
    if (current !== null && clock.monotonic() < untilMs) return current;
    untilMs = clock.monotonic() + sharedMs;
    const over = AbortSignal.timeout(timeoutMs + sharedMs);
    current = { signal: plainSignal([turn, over]), isOver: () => over.aborted };
    return current;
  };
}

/** As `AbortSignal.any`, whose signal looks at all of them each time it is asked, some ten times a row. */
function plainSignal(signals: readonly AbortSignal[]): AbortSignal {
  const either = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) either.abort(signal.reason);
    else signal.addEventListener('abort', () => either.abort(signal.reason), { once: true });
  }
  return either.signal;
}
