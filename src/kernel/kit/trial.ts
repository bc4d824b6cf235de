import { errorCode } from './errors.ts';
import type { OutboundFailure, OutboundOutcome } from './outbound-request.ts';

/** What came of one request that only looks whether a server answers. */
export interface Trial {
  readonly tookMs: number;
  /** Null where it answered as it should. */
  readonly failure: OutboundFailure | null;
  /** Null without a head. */
  readonly status: number | null;
  /** What the system calls it where there was no connection, such as ECONNREFUSED. */
  readonly code: string | null;
}

export function toTrial(
  outcome: Pick<OutboundOutcome, 'ok' | 'status'> & {
    readonly failure?: OutboundFailure;
    readonly cause?: unknown;
  },
  tookMs: number,
): Trial {
  const { status } = outcome;
  if (outcome.ok) return { tookMs, failure: null, status, code: null };
  return { tookMs, failure: outcome.failure ?? 'connect', status, code: codeOf(outcome.cause) };
}

/** The first code in a chain of causes. */
function codeOf(cause: unknown): string | null {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const code = errorCode(error);
    if (code !== null) return code;
  }
  return null;
}
