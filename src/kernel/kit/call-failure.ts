import type { OutboundFailure, OutboundOutcome } from './outbound-request.ts';
import { retryAfterMs } from './retry.ts';

/** A call that failed for good. `cause` holds nothing that the server wrote. */
export interface CallFailure {
  readonly kind: 'unavailable' | 'timeout' | 'unusable';
  readonly status: number | null;
  readonly retryable: boolean;
  /** The server itself is away, which its breaker counts. */
  readonly away: boolean;
  readonly retryAfterMs: number | null;
  readonly cause: unknown;
}

/** Statuses of servers, and of the proxies before them, that are away. */
const awayStatuses: ReadonlySet<number> = new Set([502, 503, 504, 529]);

/**
 * Whether a failure means that the server is away: no connection, a reset before the head, no answer in time, or a
 * status that says so. Every other failure concerns this request only and must not cost others the server.
 */
export function isAway(failure: OutboundFailure, status: number | null): boolean {
  if (failure === 'status') return status !== null && isAwayStatus(status);
  return failure === 'connect' || failure === 'timeout';
}

export function isAwayStatus(status: number): boolean {
  return awayStatuses.has(status);
}

/** Whether the status asks callers to come back later. */
export function isBusyStatus(status: number): boolean {
  return status === 429 || status === 503 || status === 529;
}

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

/** The failure of a call that no server takes now; one is probed after `waitMs`. */
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
