import type { Breakers, CallVerdict } from './breakers.ts';
import { resting, toFailure, type CallFailure } from './call-failure.ts';
import type { Clock } from './clock.ts';
import type { Outbound } from './outbound.ts';
import type { OutboundOutcome, OutboundRequest } from './outbound-request.ts';
import { retrying, type RetryBounds, type RetryDependencies, type RetryPolicy } from './retry.ts';

export type Attempt<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly failure: CallFailure };

export interface CallDependencies extends RetryDependencies {
  readonly outbound: Outbound;
  readonly policy: RetryPolicy;
}

/** Sends one request to one server, with retries. Failures are returned as outcomes. */
export async function callOne(
  { outbound, policy, ...dependencies }: CallDependencies,
  request: Omit<OutboundRequest, 'timeoutMs' | 'signal'>,
  bounds: RetryBounds,
): Promise<OutboundOutcome> {
  const { clock } = dependencies;
  return retrying(
    () => {
      const timeoutMs = Math.max(1, bounds.deadlineAt - clock.monotonic());
      return outbound.call({ ...request, timeoutMs, signal: bounds.signal });
    },
    (outcome) => {
      if (outcome.ok) return 'done';
      const failure = toFailure(outcome, clock.now());
      return failure.retryable ? { afterMs: failure.retryAfterMs } : 'done';
    },
    policy,
    dependencies,
    bounds,
  );
}

interface FailoverOptions {
  readonly breakers: Breakers<number>;
  /** Servers that can answer this request, preferred ones first. */
  readonly indices: readonly number[];
  readonly clock: Clock;
  /** For all upstreams together. Unit: ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The server's own by default. */
  readonly account?: string | undefined;
}

/**
 * Tries upstreams in order until one answers. Each gets an even share of the remaining time; the last gets all of it.
 * Of several failures the most hopeful is reported: unavailable, then timeout, then unusable.
 */
export async function failover<Value>(
  { breakers, indices, clock, timeoutMs, signal, account }: FailoverOptions,
  attempt: (index: number, deadlineAt: number) => Promise<Attempt<Value>>,
): Promise<Attempt<Value>> {
  const endAt = clock.monotonic() + timeoutMs;
  const failures: CallFailure[] = [];
  const order = breakers.candidates(indices);
  for (const [place, index] of order.entries()) {
    const now = clock.monotonic();
    if (now >= endAt) break;
    const end = breakers.begin(index, account);
    if (end === null) continue;
    const share = (endAt - now) / (order.length - place);
    try {
      const result = await attempt(index, now + share);
      end(verdictOf(result));
      signal.throwIfAborted();
      if (result.ok) return result;
      failures.push(result.failure);
    } finally {
      end('unknown');
    }
  }
  return { ok: false, failure: mostHopeful(failures, breakers.waitMs(indices)) };
}

/** What an attempt shows about its server. */
export function verdictOf(result: Attempt<unknown>): CallVerdict {
  return !result.ok && result.failure.away ? 'away' : 'answered';
}

/** The failure to report. Its wait is the shortest that a server asked for, and not before a resting one is probed. */
export function mostHopeful(failures: readonly CallFailure[], restMs: number): CallFailure {
  const ranked = (['unavailable', 'timeout', 'unusable'] as const).flatMap((kind) =>
    failures.filter((failure) => failure.kind === kind),
  );
  const first = ranked[0] ?? resting(restMs);
  if (first.kind !== 'unavailable') return first;
  const waits = ranked.flatMap(({ kind, retryAfterMs }) =>
    kind === 'unavailable' ? [retryAfterMs ?? 0] : [],
  );
  const askedMs = waits.length === 0 ? 0 : Math.min(...waits);
  return { ...first, retryAfterMs: Math.max(restMs, askedMs) };
}
