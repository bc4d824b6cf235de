import { withoutEndSlashes } from '../../../../kernel/kit/text.ts';
import type { Json } from '../../../../kernel/kit/json.ts';
import type { OutboundOutcome } from '../../../../kernel/kit/outbound-request.ts';
import type { RetryBounds } from '../../../../kernel/kit/retry.ts';
import { toFailure, unusable, type CallFailure } from '../../../../kernel/kit/call-failure.ts';
import type { Upstream } from '../../../../kernel/kit/upstreams.ts';
import { callOne, type CallDependencies } from '../../../../kernel/kit/upstreams-call.ts';

/** A call that failed for good. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly failure: CallFailure;

  constructor(failure: CallFailure) {
    super('call failed', { cause: failure.cause });
    this.failure = failure;
  }
}

export function unusableError(reason: string): CallError {
  return new CallError(unusable(reason));
}

/** Calls to one server within the deadline of one request. A path of the OpenAI interface stands below its version. */
export type Server = ReturnType<typeof createServer>;

/** Address of the OpenAI interface, and the root that holds paths of the server itself. */
export function addressesOf(address: string): { readonly base: string; readonly root: string } {
  const base = withoutEndSlashes(address);
  if (new URL(base).pathname === '/') return { base: `${base}/v1`, root: base };
  return { base, root: base.replace(/\/v\d+$/, '') };
}

const versioned: ReadonlySet<string> = new Set(['/models', '/chat/completions', '/completions']);

export function createServer(parts: CallDependencies, { url, key, model }: Upstream, bounds: RetryBounds) {
  const { base, root } = addressesOf(url);
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const failureOf = (outcome: OutboundOutcome & { readonly ok: false }) =>
    toFailure(outcome, parts.clock.now());
  /** The last outcome after retries, of any kind. */
  const attempt = (method: 'GET' | 'POST', path: string, body?: object): Promise<OutboundOutcome> => {
    const address = (versioned.has(path) ? base : root) + path;
    const json = body === undefined ? {} : { json: JSON.stringify(body) };
    return callOne(parts, { method, url: address, headers, ...json }, bounds);
  };
  return {
    model,
    failureOf,
    try: attempt,
    /** Throws CallError for everything but JSON of status 2xx. */
    async post(path: string, body: object): Promise<Json> {
      const outcome = await attempt('POST', path, body);
      if (outcome.ok) return outcome.body;
      throw new CallError(failureOf(outcome));
    },
    /** Returns a refusal (4xx) or a page as an outcome. Temporary failures are retried, then thrown. */
    async ask(path: string, body: object): Promise<OutboundOutcome> {
      const outcome = await attempt('POST', path, body);
      // A proxy in front of the server may answer unknown paths with a page.
      if (outcome.ok || outcome.failure === 'not_json' || isRefusal(outcome.status)) return outcome;
      throw new CallError(failureOf(outcome));
    },
  };
}

/** Whether a status refuses the request itself, not the caller (401) or the moment (408, 429). Some servers answer unknown paths with 501. */
function isRefusal(status: number | null): boolean {
  if (status === 501) return true;
  return status !== null && status >= 400 && status < 500 && ![401, 408, 429].includes(status);
}
