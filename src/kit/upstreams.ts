import type { Clock } from './clock.ts';

export interface BreakerPolicy {
  /** Failures in a row that open a breaker. */
  readonly failuresMax: number;
  /** First time that an open breaker lets nothing through; doubles with each failed probe. Unit: ms. */
  readonly coolDownMs: number;
  readonly coolDownMaxMs: number;
}

/**
 * The breaker of one upstream.
 *
 * - **closed**: calls go through. A success clears the count of failures; the failure that fills it opens.
 * - **open**: nothing goes through until `until`. Calls that were under way when it opened change nothing.
 *   A take at or after `until` makes it half-open.
 * - **half-open**: one call is under way as a probe and nothing else goes through. Its success closes; its failure
 *   opens again for twice as long; if it was given up without a verdict, the breaker is open and due at once.
 *
 * Only `nextBreaker` changes a state.
 */
export type Breaker =
  | { readonly phase: 'closed'; readonly failures: number }
  | { readonly phase: 'open'; readonly until: number; readonly coolDownMs: number }
  | { readonly phase: 'half-open'; readonly coolDownMs: number };

/** `trip` opens whatever the count; `abandon` ends a call without a verdict. */
export type BreakerEvent = 'take' | 'success' | 'failure' | 'trip' | 'abandon';

export const closedBreaker: Breaker = { phase: 'closed', failures: 0 };

export function nextBreaker(
  breaker: Breaker,
  event: BreakerEvent,
  now: number,
  policy: BreakerPolicy,
): Breaker {
  switch (breaker.phase) {
    case 'closed': {
      if (event === 'success') return closedBreaker;
      const failures = event === 'failure' ? breaker.failures + 1 : breaker.failures;
      if (event === 'trip' || failures >= policy.failuresMax) return openFor(policy.coolDownMs, now);
      return event === 'failure' ? { phase: 'closed', failures } : breaker;
    }
    case 'open':
      return event === 'take' && now >= breaker.until
        ? { phase: 'half-open', coolDownMs: breaker.coolDownMs }
        : breaker;
    case 'half-open':
      if (event === 'success') return closedBreaker;
      if (event === 'abandon') return { phase: 'open', until: now, coolDownMs: breaker.coolDownMs };
      if (event === 'take') return breaker;
      return openFor(Math.min(breaker.coolDownMs * 2, policy.coolDownMaxMs), now);
  }
}

function openFor(coolDownMs: number, now: number): Breaker {
  return { phase: 'open', until: now + coolDownMs, coolDownMs };
}

/** Whether a take would go through now. */
export function isTakeable(breaker: Breaker, now: number): boolean {
  return breaker.phase === 'closed' || (breaker.phase === 'open' && now >= breaker.until);
}

export interface Upstreams {
  /** Indices that calls may go to now, in the order in which they are tried. */
  candidates(): number[];
  /** False when another call got there first and this upstream has to be left alone. */
  take(index: number): boolean;
  report(index: number, verdict: 'success' | 'failure' | 'trip' | 'abandon'): void;
  /** Open breakers whose cool-down is over. */
  due(): number[];
  /** Until the first open breaker is due; 0 when one takes calls now. Unit: ms. */
  waitMs(): number;
  health(): 'ok' | 'down';
}

/**
 * Keeps one breaker per upstream. Upstreams are tried in the order given, those with a closed breaker first: an
 * operator lists what is preferred first, and an upstream that is only being probed must not slow calls down that
 * another could answer.
 */
export function createUpstreams(count: number, policy: BreakerPolicy, clock: Clock): Upstreams {
  const breakers: Breaker[] = Array.from({ length: count }, () => closedBreaker);
  const at = (index: number) => breakers[index] ?? closedBreaker;
  const change = (index: number, event: BreakerEvent) => {
    breakers[index] = nextBreaker(at(index), event, clock.monotonic(), policy);
  };
  const indices = breakers.map((_, index) => index);
  return {
    candidates() {
      const now = clock.monotonic();
      const takeable = indices.filter((index) => isTakeable(at(index), now));
      return takeable.sort((a, b) => rank(at(a)) - rank(at(b)) || a - b);
    },
    take(index) {
      if (!isTakeable(at(index), clock.monotonic())) return false;
      change(index, 'take');
      return true;
    },
    report: change,
    due: () =>
      indices.filter((index) => at(index).phase === 'open' && isTakeable(at(index), clock.monotonic())),
    waitMs() {
      const now = clock.monotonic();
      const waits = breakers.map((breaker) =>
        breaker.phase === 'open' ? Math.max(0, breaker.until - now) : 0,
      );
      return Math.min(...waits);
    },
    health: () => (breakers.every(({ phase }) => phase !== 'closed') ? 'down' : 'ok'),
  };
}

function rank({ phase }: Breaker): number {
  return phase === 'closed' ? 0 : 1;
}
