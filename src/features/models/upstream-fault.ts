import { Fault } from '../../kernel/faults.ts';
import { isAway, isAwayStatus, isBusyStatus } from '../../kernel/kit/call-failure.ts';
import { isJsonObject, type Json } from '../../kernel/kit/json.ts';
import type { OutboundBroken } from '../../kernel/kit/outbound.ts';
import type { OutboundOutcome } from '../../kernel/kit/outbound-request.ts';
import { retryAfterMs } from '../../kernel/kit/retry.ts';

type Failed = OutboundOutcome & { readonly ok: false };

/** What failed before the first output, as callers may see it. Nothing that the backend wrote gets into it. */
export function toFault(outcome: Failed, nowMs: number): Fault {
  const { failure, status, headers } = outcome;
  const away = isAway(failure, status);
  const cause = new Error(status === null ? failure : `${failure}, status ${status}`, {
    cause: outcome.cause,
  });
  if (failure === 'connect') return unavailable(cause, null, away);
  if (failure === 'timeout') return timedOut(cause, away);
  if (failure !== 'status' || status === null) return unusable(cause, away);
  if (isBusyStatus(status)) return unavailable(cause, retryAfterMs(headers, nowMs), away);
  return refusal(status, outcome.body, cause, away);
}

/**
 * What it says of a server that its list of models cannot be had: of no use when it is away, refuses the key, or has
 * nothing at that address.
 */
export function isOfUse({ failure, status }: Failed): boolean {
  if (failure !== 'status' || status === null) return false;
  return status >= 400 && status < 500 && ![401, 403, 404].includes(status);
}

/** What the backend told as an error inside a stream that it had begun, with the status it named, if any. */
export function toStreamFault(error: Json, status: number | null): Fault {
  const cause = new Error(status === null ? 'error in the stream' : `error in the stream, status ${status}`);
  const away = status !== null && isAwayStatus(status);
  if (status !== null && isBusyStatus(status)) return unavailable(cause, null, away);
  if (isContextOverflow(error)) return refusal(400, error, cause, false);
  return unusable(cause, away);
}

/** A stream that broke off. `begun`: an event of it had come, so the server is there. */
export function toBrokenFault(broken: OutboundBroken, begun: boolean): Fault {
  return broken.failure === 'timeout' ? timedOut(broken, !begun) : unusable(broken);
}

/** An answer that cannot be used. `reason` is ours. */
export function unusable(reason: string | Error, away = false): Fault {
  const cause = typeof reason === 'string' ? new Error(reason) : reason;
  return new Fault('bad_gateway', 'The model backend gave an unusable answer.', { cause, away });
}

function unavailable(cause: Error, waitMs: number | null, away: boolean): Fault {
  return new Fault('service_unavailable', 'The model backend is not available, please try again later.', {
    cause,
    away,
    retryAfterMs: Math.max(1_000, Math.ceil(waitMs ?? 0)),
  });
}

function timedOut(cause: Error, away: boolean): Fault {
  return new Fault('gateway_timeout', 'The model backend did not answer in time.', { cause, away });
}

/** 401, 403 and 404 are the operator's to mend, and 402 the operator's to pay: no fault of the request. */
function refusal(status: number, body: Json | null, cause: Error, away: boolean): Fault {
  if (![400, 413, 422].includes(status)) return unusable(cause, away);
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
