import type { Clock } from '../kit/clock.ts';
import {
  closedBreaker,
  isTakeable,
  nextBreaker,
  type Breaker,
  type BreakerEvent,
  type BreakerPolicy,
} from '../kit/upstreams.ts';

/** Breakers by name, made when first asked for. Names come from lists of providers, so their number is bounded. */
export interface Breakers {
  /** `probe` lets one call through to see whether it works again. */
  state(id: string): 'closed' | 'probe' | 'open';
  /** False when another call got there first. */
  take(id: string): boolean;
  report(id: string, event: Exclude<BreakerEvent, 'take'>): void;
  /** Until it is due; 0 when it takes calls. Unit: ms. */
  waitMs(id: string): number;
}

export function createBreakers(policy: BreakerPolicy, clock: Clock): Breakers {
  const breakers = new Map<string, Breaker>();
  const at = (id: string): Breaker => breakers.get(id) ?? closedBreaker;
  const change = (id: string, event: BreakerEvent): void => {
    const before = at(id);
    const after = nextBreaker(before, event, clock.monotonic(), policy);
    if (after !== before) breakers.set(id, after);
  };
  return {
    state(id) {
      const breaker = at(id);
      if (breaker.phase === 'closed') return 'closed';
      return isTakeable(breaker, clock.monotonic()) ? 'probe' : 'open';
    },
    take(id) {
      if (!isTakeable(at(id), clock.monotonic())) return false;
      change(id, 'take');
      return true;
    },
    report: change,
    waitMs(id) {
      const breaker = at(id);
      if (breaker.phase === 'half-open') return breaker.coolDownMs;
      return breaker.phase === 'open' ? Math.max(0, breaker.until - clock.monotonic()) : 0;
    },
  };
}
