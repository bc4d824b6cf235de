import { Fault } from '../../../faults.ts';
import { raceSignal } from '../../../kit/abort.ts';

/** Ends waits that take too long, and with them what they wait for. */
export interface Silence {
  /** Aborts with the caller, after too long a wait, and when it is left. */
  readonly signal: AbortSignal;
  /** Waits, though not longer than the silence lasts, whether the work listens to the signal or not. */
  readonly wait: <Value>(work: Promise<Value>) => Promise<Value>;
  /** Set once a wait took too long. */
  readonly fault: Fault | null;
  leave(): void;
}

/** Only waits count: a reader that is slow itself is no silence of the other side. */
export function createSilence(silenceMs: number, caller: AbortSignal): Silence {
  const leaving = new AbortController();
  const signal = AbortSignal.any([caller, leaving.signal]);
  let fault: Fault | null = null;
  return {
    signal,
    get fault() {
      return fault;
    },
    async wait(work) {
      const timer = setTimeout(() => {
        fault = new Fault('gateway_timeout', 'The model backend did not answer in time.');
        leaving.abort(fault);
      }, silenceMs);
      try {
        return await raceSignal(work, signal);
      } finally {
        clearTimeout(timer);
      }
    },
    leave: () => leaving.abort(new Error('left')),
  };
}
