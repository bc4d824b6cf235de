import type { RunFailure, RunEvent } from '../live-run.ts';
import type { StoredRun } from '../run-store.ts';
import { isJsonObject } from '../../../kernel/kit/json.ts';

/** The error of a failed response. Contract 7.9. */
export interface RunError {
  readonly message: string;
  readonly code: string;
  readonly type: string;
}

export function toRunError(failure: RunFailure): RunError {
  switch (failure) {
    case 'cancelled':
      return { message: 'The run was cancelled.', code: 'cancelled', type: 'cancelled' };
    case 'server_restarted':
      return {
        message: 'The server was restarted while this ran.',
        code: 'server_restarted',
        type: 'server_error',
      };
    case 'not_stored':
      return {
        message: 'The response could not be stored, so it is not kept. Please try again later.',
        code: 'internal_error',
        type: 'server_error',
      };
    case 'timeout':
      return { message: 'The run took too long.', code: 'timeout', type: 'server_error' };
    default: {
      const { message } = failure;
      switch (failure.code) {
        case 'context_length_exceeded':
        case 'storage_quota_exceeded':
          return { message, code: failure.code, type: 'invalid_request' };
        case 'model_no_answer':
        case 'structured_output_failed':
          return { message, code: failure.code, type: 'server_error' };
        case 'gateway_timeout':
          return { message, code: 'timeout', type: 'server_error' };
        case 'internal':
          return { message, code: 'internal_error', type: 'server_error' };
        default:
          return { message, code: 'model_error', type: 'server_error' };
      }
    }
  }
}

/** Ends a run whose process has gone: its finished items are in the events that it left. */
export function endAbandoned(
  { response: text }: StoredRun,
  events: readonly RunEvent[],
): {
  readonly response: string;
  readonly event: RunEvent;
  readonly items: readonly { readonly id: string; readonly item: string }[];
} {
  const error = toRunError('server_restarted');
  const done = events.filter(({ event }) => event === 'response.output_item.done');
  const output = done.map(({ data }) => (JSON.parse(data) as { readonly item: unknown }).item);
  const head: unknown = JSON.parse(text);
  const response = { ...(isJsonObject(head) ? head : {}), status: 'failed', output, error };
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
}
