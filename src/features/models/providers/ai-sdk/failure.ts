import { Fault } from '../../../../kernel/faults.ts';
import type { Json } from '../../../../kernel/kit/json.ts';
import type { OutboundHeaders, OutboundOutcome } from '../../../../kernel/kit/outbound-request.ts';
import type { RetryVerdict } from '../../../../kernel/kit/retry.ts';
import { isBusyStatus, toFailure } from '../../../../kernel/kit/call-failure.ts';
import { toFault, unusable } from '../../upstream-fault.ts';
import { PartError } from './response.ts';

export interface PackageFailure {
  readonly fault: Fault;
  /** Whether the same request may work when it is sent again, and the wait that was asked for. */
  readonly retry: RetryVerdict;
}

/**
 * What a package threw or told, as callers may see it. Its errors quote the service, the request and its headers, so
 * none of them becomes a cause: only the status and the package's own name for the error go on. `told`: output went out
 * already, and coming back later does not help whoever read it.
 */
export function toPackageFailure(thrown: unknown, told: boolean, nowMs: number): PackageFailure {
  if (thrown instanceof Fault) return final(thrown);
  const error = thrown instanceof PartError ? thrown.cause : thrown;
  const name = nameOf(error);
  if (refusals.has(name)) {
    const fault = new Fault('invalid_value', 'The model does not support this request.', {
      cause: new Error(name),
    });
    return final(fault);
  }
  const outcome = toOutcome(error, name);
  if (outcome === null) return final(unusable(`the package threw ${name}`));
  const { retryable, retryAfterMs } = toFailure(outcome, nowMs);
  const late = told && (outcome.failure !== 'status' || isBusyStatus(outcome.status ?? 0));
  const fault = late ? unusable(`${outcome.failure} after output`) : toFault(outcome, nowMs);
  return { fault, retry: retryable ? { afterMs: retryAfterMs } : 'done' };
}

function final(fault: Fault): PackageFailure {
  return { fault, retry: 'done' };
}

/** The package itself does not take the request. */
const refusals: ReadonlySet<string> = new Set([
  'AI_UnsupportedFunctionalityError',
  'AI_InvalidPromptError',
  'AI_InvalidArgumentError',
]);

type Failed = OutboundOutcome & { readonly ok: false };

function toOutcome(error: unknown, name: string): Failed | null {
  const none = { ok: false, status: null, headers: {}, body: null, cause: new Error(name) } as const;
  if (isRecord(error) && typeof error['statusCode'] === 'number') {
    const { statusCode: status, responseHeaders, responseBody } = error;
    const headers = toHeaders(responseHeaders);
    // A body that is not what the package expected comes with the status of success.
    if (status < 300) return { ...none, failure: 'not_json', status, headers };
    return { ...none, failure: 'status', status, headers, body: parseBody(responseBody) };
  }
  // Without a status nothing answered; `fetch` itself throws a TypeError.
  return name === 'AI_APICallError' || error instanceof TypeError ? { ...none, failure: 'connect' } : null;
}

function toHeaders(headers: unknown): OutboundHeaders {
  if (!isRecord(headers)) return {};
  const texts = Object.entries(headers).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function parseBody(body: unknown): Json | null {
  if (typeof body !== 'string') return null;
  try {
    return JSON.parse(body) as Json;
  } catch {
    return null;
  }
}

/** Names are words of code; whatever else stands there was written by others. */
function nameOf(error: unknown): string {
  const name = isRecord(error) ? error['name'] : null;
  return typeof name === 'string' && /^[A-Za-z][A-Za-z_]{0,60}$/.test(name) ? name : 'an error';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
