export interface BreakerPolicy {
  /** Calls in a row that found the server away before it is suspected. */
  readonly failuresMax: number;
  /** First wait between two probes of a server that rests; doubles with each probe that finds it away. Unit: ms. */
  readonly coolDownMs: number;
  readonly coolDownMaxMs: number;
}

/**
 * The breaker of one server. Failures of callers never cut a server off from others: they only make Nestor probe
 * the server itself.
 *
 * - **serving**: every call goes through. An answer clears the count; the failure that fills it makes it suspected.
 * - **suspected**: every call still goes through while one probe of Nestor asks the server something small. An answer,
 *   to the probe or to any call, makes it serving; a probe that finds it away makes it resting.
 * - **resting**: only trials go through, a bounded number of calls at a time, and from `until` on the next probe. An
 *   answer to any of them makes it serving; a probe that finds it away doubles the wait.
 *
 * Only `nextBreaker` changes a state.
 */
export type Breaker =
  | { readonly phase: 'serving'; readonly failures: number }
  | { readonly phase: 'suspected' }
  | { readonly phase: 'resting'; readonly until: number; readonly coolDownMs: number };

/** The finding of a call or of a probe. */
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
