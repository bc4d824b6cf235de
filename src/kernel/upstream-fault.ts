import { Fault } from './faults.ts';
import type { CallFailure } from './kit/call-failure.ts';

/**
 * The public fault of a failed call to a backend such as `decision` or `embedding`, without text or address of the
 * upstream.
 */
export function toUpstreamFault(backend: string, failure: CallFailure, cause = failure.cause): Fault {
  const { kind, away, retryAfterMs } = failure;
  switch (kind) {
    case 'unavailable':
      return new Fault(
        'service_unavailable',
        `The ${backend} backend is not available, please try again later.`,
        { cause, away, retryAfterMs: Math.max(1_000, Math.ceil(retryAfterMs ?? 0)) },
      );
    case 'timeout':
      return new Fault('gateway_timeout', `The ${backend} backend did not answer in time.`, { cause, away });
    case 'unusable':
      return new Fault('bad_gateway', `The ${backend} backend gave an unusable answer.`, { cause, away });
  }
}
