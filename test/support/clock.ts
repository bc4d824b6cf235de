import type { Clock } from '../../src/kernel/kit/clock.ts';

export interface ManualClock extends Clock {
  /** Turns both times forward. */
  advance(ms: number): void;
}

/** A clock that stands still until a test turns it. */
export function createManualClock(startMs = 1_800_000_000_000): ManualClock {
  let elapsed = 0;
  return {
    now: () => startMs + elapsed,
    monotonic: () => elapsed,
    advance(ms) {
      elapsed += ms;
    },
  };
}
