import { Fault } from '../../../../kernel/faults.ts';
import { raceSignal } from '../../../../kernel/kit/abort.ts';

/** Ends waits that take too long, and with them the work that they wait for. */
export type Silence = ReturnType<typeof createSilence>;

/**
 * Bounds the wait for the first part and each wait after it by `silenceMs`, and all of them by `totalMs`. After the first
 * part only waits count: a slow reader is no silence of the other side.
 */
export function createSilence(silenceMs: number, totalMs: number, caller: AbortSignal) {
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
    /** Aborts with the caller, after a wait that took too long, and when it is left. */
    signal,
    /** Set once a wait took too long. */
    get fault() {
      return fault;
    },
    /** Waits within the bounds, whether the work heeds the signal or not. */
    async wait<Value>(work: Promise<Value>): Promise<Value> {
      const timer = hasBegun ? setTimeout(expire, silenceMs) : undefined;
      try {
        return await raceSignal(work, signal);
      } finally {
        clearTimeout(timer);
      }
    },
    /** Called for the first part: from now on each wait has a bound of its own. */
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
