import type { OutboundFailure, OutboundOutcome } from './outbound-request.ts';
import { retryAfterMs } from './retry.ts';

/** The report of a call that failed for good. `cause` is made here and holds nothing that the server wrote. */
export interface CallFailure {
  /** It may work later, it took too long, or the answer cannot be used. */
  readonly kind: 'unavailable' | 'timeout' | 'unusable';
  readonly status: number | null;
  /** Worth another attempt at the same server. */
  readonly retryable: boolean;
  /** It says that the server itself is away: a matter for its breaker. */
  readonly away: boolean;
  readonly retryAfterMs: number | null;
  readonly cause: unknown;
}

/** Statuses with which a server, or what stands in front of it, says that it is away. */
const awayStatuses: ReadonlySet<number> = new Set([502, 503, 504, 529]);

/**
 * Whether a failure says that the server itself is away. The one place where that is decided: no connection, a reset
 * before the head, no answer in time, or a status that says so. Everything else is about this one request, which must
 * not cost others the server.
 */
export function isAway(failure: OutboundFailure, status: number | null): boolean {
  if (failure === 'status') return status !== null && isAwayStatus(status);
  return failure === 'connect' || failure === 'timeout';
}

export function isAwayStatus(status: number): boolean {
  return awayStatuses.has(status);
}

/** Whether this status asks to come back later. */
export function isBusyStatus(status: number): boolean {
  return status === 429 || status === 503 || status === 529;
}

/** A failure found here: the server answered, and its answer cannot be used. */
export function unusable(reason: string): CallFailure {
  return {
    kind: 'unusable',
    status: null,
    retryable: false,
    away: false,
    retryAfterMs: null,
    cause: new Error(reason),
  };
}

/** No server takes this call now; the wait is that until one is asked again. */
export function resting(waitMs: number): CallFailure {
  return {
    kind: 'unavailable',
    status: null,
    retryable: true,
    away: true,
    retryAfterMs: waitMs,
    cause: new Error('every server for this call is away, and enough calls are trying it'),
  };
}

export function toFailure(outcome: OutboundOutcome & { ok: false }, now: number): CallFailure {
  const { failure, status, headers } = outcome;
  return {
    ...kindOf(failure, status),
    status,
    away: isAway(failure, status),
    retryAfterMs: retryAfterMs(headers, now),
    cause: new Error(status === null ? failure : `${failure}, status ${status}`, { cause: outcome.cause }),
  };
}

function kindOf(failure: OutboundFailure, status: number | null): Pick<CallFailure, 'kind' | 'retryable'> {
  if (failure === 'connect') return { kind: 'unavailable', retryable: true };
  if (failure === 'timeout') return { kind: 'timeout', retryable: false };
  if (failure !== 'status' || status === null) return { kind: 'unusable', retryable: failure === 'cut' };
  if (isBusyStatus(status)) return { kind: 'unavailable', retryable: true };
  return { kind: 'unusable', retryable: status >= 500 || status === 408 };
}
