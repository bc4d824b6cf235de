import { Fault } from '../../../../kernel/faults.ts';
import { raceSignal } from '../../../../kernel/kit/abort.ts';

/** Ends waits that take too long, and with them what they wait for. */
export interface Silence {
  /** Aborts with the caller, after too long a wait or too long in all, and when it is left. */
  readonly signal: AbortSignal;
  /** Waits, though not longer than the silence lasts, whether the work listens to the signal or not. */
  readonly wait: <Value>(work: Promise<Value>) => Promise<Value>;
  /** The first part came: from now on each wait is bounded by itself. */
  readonly begin: () => void;
  /** Set once a wait took too long. */
  readonly fault: Fault | null;
  leave(): void;
}

interface SilenceBounds {
  /** Until the first part, and of each wait after it. Unit: ms. */
  readonly silenceMs: number;
  /** From the beginning to the end. Unit: ms. */
  readonly totalMs: number;
}

/** After the first part only waits count: a reader that is slow itself is no silence of the other side. */
export function createSilence({ silenceMs, totalMs }: SilenceBounds, caller: AbortSignal): Silence {
  const leaving = new AbortController();
  const signal = AbortSignal.any([caller, leaving.signal]);
  let fault: Fault | null = null;
  let hasBegun = false;
  const expire = () => {
    fault = new Fault('gateway_timeout', 'The model backend did not answer in time.', { away: !hasBegun });
    leaving.abort(fault);
  };
  const first = setTimeout(expire, silenceMs);
  const total = setTimeout(expire, totalMs);
  return {
    signal,
    get fault() {
      return fault;
    },
    async wait(work) {
      const timer = hasBegun ? setTimeout(expire, silenceMs) : undefined;
      try {
        return await raceSignal(work, signal);
      } finally {
        clearTimeout(timer);
      }
    },
    begin() {
      hasBegun = true;
      clearTimeout(first);
    },
    leave() {
      clearTimeout(first);
      clearTimeout(total);
      leaving.abort(new Error('left'));
    },
  };
}
