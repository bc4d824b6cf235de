import { Fault } from '../../kernel/faults.ts';
import type { CallFailure } from '../../kernel/kit/call-failure.ts';
import { toUpstreamFault } from '../../kernel/upstream-fault.ts';

/** The private cause of an engine's Fault, for the chain of engines and the log, never for callers. */
class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
  readonly failure: CallFailure;

  constructor(failure: CallFailure) {
    super(`${failure.kind}${failure.status === null ? '' : `, status ${failure.status}`}`, {
      cause: failure.cause,
    });
    this.failure = failure;
  }
}

/** The public form of a failed call. Nothing of the backend, neither its text nor its address, gets into it. */
export function toFault(failure: CallFailure): Fault {
  return toUpstreamFault('search', failure, new EngineFailure(failure));
}

/** The failure behind an error that an engine threw; null for an error that no backend caused. */
export function failureOf(error: unknown): CallFailure | null {
  if (!(error instanceof Fault)) return null;
  if (error.cause instanceof EngineFailure) return error.cause.failure;
  const kinds = {
    service_unavailable: 'unavailable',
    gateway_timeout: 'timeout',
    bad_gateway: 'unusable',
  } as const;
  const kind = Object.entries(kinds).find(([code]) => code === error.code)?.[1];
  if (kind === undefined) return null;
  return {
    kind,
    status: null,
    retryable: false,
    away: error.away,
    retryAfterMs: error.retryAfterMs ?? null,
    cause: error,
  };
}
