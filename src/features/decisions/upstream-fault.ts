import { Fault } from '../../kernel/faults.ts';
import type { CallFailure } from '../../kernel/kit/call-failure.ts';

/** The public form of a failed call. Nothing of the upstream, neither its words nor its address, gets into it. */
export function toFault({ kind, status, away, retryAfterMs, cause }: CallFailure): Fault {
  switch (kind) {
    case 'unavailable':
      return new Fault(
        'service_unavailable',
        'The decision backend is not available, please try again later.',
        {
          cause,
          away,
          retryAfterMs: Math.max(1_000, Math.ceil(retryAfterMs ?? 0)),
        },
      );
    case 'timeout':
      return new Fault('gateway_timeout', 'The decision backend did not answer in time.', { cause, away });
    case 'unusable': {
      const refused = status !== null && status < 500;
      const message = refused
        ? 'The decision backend refused the request.'
        : 'The decision backend gave an unusable answer.';
      return new Fault('bad_gateway', message, { cause, away });
    }
  }
}
