import { Fault } from '../../../../kernel/faults.ts';
import { isJsonObject } from '../../../../kernel/kit/json.ts';
import type { OutboundHeaders } from '../../../../kernel/kit/outbound-request.ts';
import type { RetryVerdict } from '../../../../kernel/kit/retry.ts';
import { isBusyStatus, toFailure } from '../../../../kernel/kit/call-failure.ts';
import { tryParse } from '../../answer-body.ts';
import { toFault, unusable, type Failed } from '../../upstream-fault.ts';
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
    const cause = new Error(name);
    return final(new Fault('invalid_value', 'The model does not support this request.', { cause }));
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

function toOutcome(error: unknown, name: string): Failed | null {
  const none = { ok: false, status: null, headers: {}, body: null, cause: new Error(name) } as const;
  if (isJsonObject(error) && typeof error['statusCode'] === 'number') {
    const { statusCode: status, responseHeaders, responseBody } = error;
    const headers = toHeaders(responseHeaders);
    // A body that is not what the package expected comes with the status of success.
    if (status < 300) return { ...none, failure: 'not_json', status, headers };
    const body = typeof responseBody === 'string' ? (tryParse(responseBody) ?? null) : null;
    return { ...none, failure: 'status', status, headers, body };
  }
  // Without a status nothing answered; `fetch` itself throws a TypeError.
  return name === 'AI_APICallError' || error instanceof TypeError ? { ...none, failure: 'connect' } : null;
}

function toHeaders(headers: unknown): OutboundHeaders {
  if (!isJsonObject(headers)) return {};
  const texts = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
  );
  return Object.fromEntries(texts);
}

/** The name of an error, if it is an identifier: anything else may have been written by others. */
function nameOf(error: unknown): string {
  const name = isJsonObject(error) ? error['name'] : null;
  return typeof name === 'string' && /^[A-Za-z][A-Za-z_]{0,60}$/.test(name) ? name : 'an error';
}
