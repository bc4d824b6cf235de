import { Fault } from '../../kernel/faults.ts';
import { isAway, isAwayStatus, isBusyStatus } from '../../kernel/kit/call-failure.ts';
import { isJsonObject, type Json } from '../../kernel/kit/json.ts';
import type { OutboundBroken } from '../../kernel/kit/outbound.ts';
import type { OutboundOutcome } from '../../kernel/kit/outbound-request.ts';
import { retryAfterMs } from '../../kernel/kit/retry.ts';

export type Failed = OutboundOutcome & { readonly ok: false };

/** The fault of a call that failed before its first output. It holds nothing that the backend wrote. */
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

/** Whether a server without a list may still answer: it is there, takes the key and has something at that address. */
export function isOfUse({ failure, status }: Failed): boolean {
  if (failure !== 'status' || status === null) return false;
  return status >= 400 && status < 500 && ![401, 403, 404].includes(status);
}

/** The fault of an error inside a stream that had begun. `status` is the one that the error names, if any. */
export function toStreamFault(error: Json, status: number | null): Fault {
  const cause = new Error(status === null ? 'error in the stream' : `error in the stream, status ${status}`);
  const away = status !== null && isAwayStatus(status);
  if (status !== null && isBusyStatus(status)) return unavailable(cause, null, away);
  if (isContextOverflow(error)) return refusal(400, error, cause, false);
  return unusable(cause, away);
}

/** The fault of a stream that broke off. `begun`: an event had come, so the server is not away. */
export function toBrokenFault(broken: OutboundBroken, begun: boolean): Fault {
  return broken.failure === 'timeout' ? timedOut(broken, !begun) : unusable(broken);
}

/** The fault of an answer that cannot be used. `reason` is private and must hold nothing that the backend wrote. */
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

/** A refused key, address or payment (401 to 404) is for the operator to fix, and not the fault of the request. */
function refusal(status: number, body: Json | null, cause: Error, away: boolean): Fault {
  if (![400, 413, 422].includes(status)) return unusable(cause, away);
  if (isContextOverflow(body)) return new Fault('context_length_exceeded', undefined, { cause });
  return new Fault('invalid_value', 'The model backend refused the request.', { cause });
}

/** How servers report that the prompt is too long. Most have no code for it, and some only a sentence. */
const overflow =
  /context_length_exceeded|exceed_context_size|max_model_len|maximum (?:context|prompt) length|context (?:size|length|window)|maximum allowed length|(?:prompt|input) is too long|too many tokens/;

/** Whether an error, in one of the shapes in use, reports that the prompt is too long. */
export function isContextOverflow(body: Json | null): boolean {
  return overflow.test(wordsOf(body));
}

function wordsOf(body: Json | null | undefined): string {
  if (Array.isArray(body)) return wordsOf((body as readonly Json[])[0]);
  if (!isJsonObject(body)) return typeof body === 'string' ? body.toLowerCase() : '';
  const own = [body['code'], body['type'], body['message'], body['detail']]
    .filter((word) => typeof word === 'string')
    .join(' ');
  return `${own.toLowerCase()} ${wordsOf(body['error'])}`;
}

/** Where only a language model could answer. One line, with the key and the page that help. */
export function needsModel(): Fault {
  const message =
    'This request needs a language model and none is configured: set `providers` in the configuration, put a GGUF file into the data folder, or run `nestor models pull`; see docs/guide/models.md.';
  // A repeat cannot succeed; the wait is there because every 503 has one.
  return new Fault('service_unavailable', message, { retryAfterMs: 60_000, final: true });
}
