export interface BreakerPolicy {
  /** Consecutive calls that found the server away before it is suspected. */
  readonly failuresMax: number;
  /** First wait between two probes of a resting server; doubles with each failed probe. Unit: ms. */
  readonly coolDownMs: number;
  readonly coolDownMaxMs: number;
}

/**
 * Circuit breaker of one server. Failing calls only make Nestor probe the server itself, so no caller can cut others
 * off.
 *
 * - **serving**: every call goes through. `failuresMax` failures in a row make it suspected.
 * - **suspected**: every call goes through while one probe runs. Any answer makes it serving, a failed probe resting.
 * - **resting**: a bounded number of trial calls go through, and a probe from `until` on. Any answer makes it
 * serving; a failed probe doubles the wait.
 *
 * Only `nextBreaker` changes a state.
 */
export type Breaker =
  | { readonly phase: 'serving'; readonly failures: number }
  | { readonly phase: 'suspected' }
  | { readonly phase: 'resting'; readonly until: number; readonly coolDownMs: number };

export type BreakerEvent = 'answered' | 'away' | 'probed-away';

export const servingBreaker: Breaker = { phase: 'serving', failures: 0 };

export function nextBreaker(
  breaker: Breaker,
  event: BreakerEvent,
  now: number,
  policy: BreakerPolicy,
): Breaker {
  if (event === 'answered') return servingBreaker;
  if (event === 'probed-away') return rest(breaker, now, policy);
  if (breaker.phase !== 'serving') return breaker;
  const failures = breaker.failures + 1;
  return failures >= policy.failuresMax ? { phase: 'suspected' } : { phase: 'serving', failures };
}

function rest(breaker: Breaker, now: number, { coolDownMs: first, coolDownMaxMs }: BreakerPolicy): Breaker {
  const coolDownMs = breaker.phase === 'resting' ? Math.min(breaker.coolDownMs * 2, coolDownMaxMs) : first;
  return { phase: 'resting', until: now + coolDownMs, coolDownMs };
}
