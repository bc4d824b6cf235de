import { Fault } from '../../kernel/faults.ts';
import type { CallFailure } from '../../kernel/kit/call-failure.ts';
import { toUpstreamFault } from '../../kernel/upstream-fault.ts';

/** The public form of a failed call. An upstream that refuses the request has a message of its own. */
export function toFault(failure: CallFailure): Fault {
  const { kind, status, away, cause } = failure;
  if (kind !== 'unusable' || status === null || status >= 500) return toUpstreamFault('decision', failure);
  return new Fault('bad_gateway', 'The decision backend refused the request.', { cause, away });
}
