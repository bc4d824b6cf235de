import type { RunFailure } from '../../live-run.ts';
import { Fault } from '../../../../kernel/faults.ts';
import { toRunError } from '../run-error.ts';

export interface ResponseError {
  readonly code: string;
  readonly message: string;
}

/** The error of a failed response, in the words that clients of OpenAI know. */
export function toResponseError(failure: RunFailure): ResponseError {
  const { message } = toRunError(failure);
  if (!(failure instanceof Fault)) return { code: 'server_error', message };
  const { code, status } = failure;
  if (status === 429) return { code: 'rate_limit_exceeded', message };
  return { code: code === 'context_length_exceeded' ? code : 'server_error', message };
}

/** The HTTP error of a run that failed before anything was sent. */
export function toFault(failure: RunFailure): Fault {
  if (failure instanceof Fault) return failure;
  switch (failure) {
    case 'timeout':
      return new Fault('gateway_timeout');
    case 'not_stored':
      return new Fault('service_unavailable', toRunError(failure).message);
    case 'server_restarted':
    case 'cancelled':
      return new Fault('server_stopping');
  }
}
