import { Fault } from '../faults.ts';
import { isJsonObject, type Json } from '../kit/json.ts';
import type { OutboundBroken, OutboundOutcome } from '../kit/outbound.ts';
import { retryAfterMs } from '../kit/retry.ts';

type Failed = OutboundOutcome & { readonly ok: false };

/** What failed before the first output, as callers may see it. Nothing that the backend wrote gets into it. */
export function toFault(outcome: Failed, nowMs: number): Fault {
  const { failure, status, headers } = outcome;
  const cause = new Error(status === null ? failure : `${failure}, status ${status}`, {
    cause: outcome.cause,
  });
  if (failure === 'connect') return unavailable(cause, null);
  if (failure === 'timeout') return timedOut(cause);
  if (failure !== 'status' || status === null) return unusable(cause);
  if (isBusy(status)) return unavailable(cause, retryAfterMs(headers, nowMs));
  return refusal(status, outcome.body, cause);
}

/** What the backend told as an error inside a stream that it had begun, with the status it named, if any. */
export function toStreamFault(error: Json, status: number | null): Fault {
  const cause = new Error(status === null ? 'error in the stream' : `error in the stream, status ${status}`);
  if (status !== null && isBusy(status)) return unavailable(cause, null);
  if (isContextOverflow(error)) return refusal(400, error, cause);
  return unusable(cause);
}

/** A stream that broke off. */
export function toBrokenFault(broken: OutboundBroken): Fault {
  return broken.failure === 'timeout' ? timedOut(broken) : unusable(broken);
}

/** An answer that cannot be used. `reason` is ours. */
export function unusable(reason: string | Error): Fault {
  const cause = typeof reason === 'string' ? new Error(reason) : reason;
  return new Fault('bad_gateway', 'The model backend gave an unusable answer.', { cause });
}

/** Whether this status asks to come back later. */
export function isBusy(status: number): boolean {
  return status === 429 || status === 503 || status === 529;
}

function unavailable(cause: Error, waitMs: number | null): Fault {
  return new Fault('service_unavailable', 'The model backend is not available, please try again later.', {
    cause,
    retryAfterMs: Math.max(1_000, Math.ceil(waitMs ?? 0)),
  });
}

function timedOut(cause: Error): Fault {
  return new Fault('gateway_timeout', 'The model backend did not answer in time.', { cause });
}

/** 401, 403 and 404 are the operator's to mend, and 402 the operator's to pay: no fault of the request. */
function refusal(status: number, body: Json | null, cause: Error): Fault {
  if (![400, 413, 422].includes(status)) return unusable(cause);
  if (isContextOverflow(body)) return new Fault('context_length_exceeded', undefined, { cause });
  return new Fault('invalid_value', 'The model backend refused the request.', { cause });
}

/** How servers say that the prompt is too long. Most have no code for it, and some put it into a sentence alone. */
const overflowWords = [
  'context_length_exceeded',
  'exceed_context_size',
  'maximum context length',
  'context size',
  'context length',
  'context window',
  'prompt is too long',
  'max_model_len',
  'maximum allowed length',
  'input is too long',
  'too many tokens',
  'maximum prompt length',
];

/** `code`, `type` and `message` of an error in one of the shapes in use, lower case. */
export function isContextOverflow(body: Json | null): boolean {
  const told = wordsOf(body);
  return overflowWords.some((word) => told.includes(word));
}

function wordsOf(body: Json | null | undefined): string {
  if (Array.isArray(body)) return wordsOf((body as readonly Json[])[0]);
  if (!isJsonObject(body)) return typeof body === 'string' ? body.toLowerCase() : '';
  const own = [body['code'], body['type'], body['message'], body['detail']]
    .filter((word) => typeof word === 'string')
    .join(' ');
  return `${own.toLowerCase()} ${wordsOf(body['error'])}`;
}
