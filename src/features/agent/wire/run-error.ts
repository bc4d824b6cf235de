import { objectOf } from '../../../kernel/kit/json-fields.ts';
import type { RunFailure } from '../live-run.ts';
import type { EndAbandoned } from '../run-maintenance.ts';
import type { FaultCode } from '../../../kernel/faults.ts';
import { isJsonObject } from '../../../kernel/kit/json.ts';

/** The error of a failed response. Contract 7.9. */
export interface RunError {
  readonly message: string;
  readonly code: string;
  readonly type: string;
}

/** Codes on the wire of faults that are the server's; all others are `model_error`. */
const serverCodes: Partial<Record<FaultCode, string>> = {
  model_no_answer: 'model_no_answer',
  structured_output_failed: 'structured_output_failed',
  gateway_timeout: 'timeout',
  internal: 'internal_error',
};

const serverError = (message: string, code: string): RunError => ({ message, code, type: 'server_error' });

export function toRunError(failure: RunFailure): RunError {
  switch (failure) {
    case 'cancelled':
      return { message: 'The run was cancelled.', code: 'cancelled', type: 'cancelled' };
    case 'server_restarted':
      return serverError('The server was restarted while this ran.', 'server_restarted');
    case 'not_stored':
      return serverError(
        'The response could not be stored, so it is not kept. Please try again later.',
        'internal_error',
      );
    case 'timeout':
      return serverError('The run took too long.', 'timeout');
    default: {
      const { code, message } = failure;
      if (code === 'context_length_exceeded' || code === 'storage_quota_exceeded')
        return { message, code, type: 'invalid_request' };
      return serverError(message, serverCodes[code] ?? 'model_error');
    }
  }
}

/** Ends a run whose process has gone: its finished items are in the events that it left. */
export const endAbandoned: EndAbandoned = ({ response: text }, events) => {
  const error = toRunError('server_restarted');
  const done = events.filter(({ event }) => event === 'response.output_item.done');
  const output = done.map(({ data }) => (JSON.parse(data) as { readonly item: unknown }).item);
  const head: unknown = JSON.parse(text);
  const response = { ...objectOf(head), status: 'failed', output, error };
  const sequence = (events.at(-1)?.sequence ?? -1) + 1;
  const event = 'response.failed';
  const data = JSON.stringify({ type: event, sequence_number: sequence, response, error });
  return {
    response: JSON.stringify(response),
    event: { sequence, event, data },
    items: output.flatMap((item) =>
      isJsonObject(item) && typeof item['id'] === 'string'
        ? [{ id: item['id'], item: JSON.stringify(item) }]
        : [],
    ),
  };
};
