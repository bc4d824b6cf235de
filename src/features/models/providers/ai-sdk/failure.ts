import { Fault } from '../../../../kernel/faults.ts';
import type { Json } from '../../../../kernel/kit/json.ts';
import type { OutboundHeaders, OutboundOutcome } from '../../../../kernel/kit/outbound-request.ts';
import type { RetryVerdict } from '../../../../kernel/kit/retry.ts';
import { isBusyStatus, toFailure } from '../../../../kernel/kit/call-failure.ts';
import { toFault, unusable } from '../../upstream-fault.ts';
import { PartError } from './response.ts';

interface PackageFailure {
  readonly fault: Fault;
  /** Whether another attempt may succeed, and the wait that the service asked for. */
  readonly retry: RetryVerdict;
}

/**
 * The fault of what a package threw. Its errors quote the service, the request and its headers, so none of them becomes
 * a cause: only the status and the package's name for the error are kept. `emitted`: the caller has some of the output,
 * so a later attempt does not help.
 */
export function toPackageFailure(thrown: unknown, emitted: boolean, nowMs: number): PackageFailure {
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
  const late = emitted && (outcome.failure !== 'status' || isBusyStatus(outcome.status ?? 0));
  const fault = late ? unusable(`${outcome.failure} after output`) : toFault(outcome, nowMs);
  return { fault, retry: retryable ? { afterMs: retryAfterMs } : 'done' };
}

function final(fault: Fault): PackageFailure {
  return { fault, retry: 'done' };
}

/** Errors with which a package itself refuses a request. */
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

/** The name of an error, if it is an identifier: anything else may have been written by others. */
function nameOf(error: unknown): string {
  const name = isRecord(error) ? error['name'] : null;
  return typeof name === 'string' && /^[A-Za-z][A-Za-z_]{0,60}$/.test(name) ? name : 'an error';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
