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

/** Calls to one server within the deadline of one request. */
export interface Server {
  readonly model: string;
  /** `path` follows the version (`/chat/completions`). Throws CallError for everything but JSON of status 2xx. */
  post(path: string, body: object): Promise<Json>;
  /** The same beside the version (`/tokenize`, `/api/chat`). */
  postRoot(path: string, body: object): Promise<Json>;
  /** The same, but returns a refusal (4xx) or a page as an outcome. Temporary failures are retried, then thrown. */
  ask(path: string, body: object): Promise<OutboundOutcome>;
  askRoot(path: string, body: object): Promise<OutboundOutcome>;
  /** The last outcome after retries, of any kind. */
  try(method: 'GET' | 'POST', path: string, body?: object): Promise<OutboundOutcome>;
  tryRoot(method: 'GET' | 'POST', path: string, body?: object): Promise<OutboundOutcome>;
}

/** Address of the OpenAI interface, and the root that holds paths of the server itself. */
export function addressesOf(address: string): { readonly base: string; readonly root: string } {
  const base = address.replace(/(?<!\/)\/+$/, '');
  if (new URL(base).pathname === '/') return { base: `${base}/v1`, root: base };
  return { base, root: base.replace(/\/v\d+$/, '') };
}

export function createServer(
  parts: CallDependencies,
  { url, key, model }: Upstream,
  bounds: RetryBounds,
): Server {
  const { base, root } = addressesOf(url);
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const call = (method: 'GET' | 'POST', address: string, body?: object) =>
    callOne(
      parts,
      { method, url: address, headers, ...(body === undefined ? {} : { json: JSON.stringify(body) }) },
      bounds,
    );
  const insist = async (address: string, body: object) => {
    const outcome = await call('POST', address, body);
    if (outcome.ok) return outcome.body;
    throw new CallError(toFailure(outcome, parts.clock.now()));
  };
  const asked = async (address: string, body: object) => {
    const outcome = await call('POST', address, body);
    // A proxy in front of the server may answer unknown paths with a page.
    if (outcome.ok || outcome.failure === 'not_json' || isRefusal(outcome.status)) return outcome;
    throw new CallError(toFailure(outcome, parts.clock.now()));
  };
  return {
    model,
    post: (path, body) => insist(base + path, body),
    postRoot: (path, body) => insist(root + path, body),
    ask: (path, body) => asked(base + path, body),
    askRoot: (path, body) => asked(root + path, body),
    try: (method, path, body) => call(method, base + path, body),
    tryRoot: (method, path, body) => call(method, root + path, body),
  };
}

/** Whether a status refuses the request itself, not the caller (401) or the moment (408, 429). Some servers answer unknown paths with 501. */
function isRefusal(status: number | null): boolean {
  if (status === 501) return true;
  return status !== null && status >= 400 && status < 500 && ![401, 408, 429].includes(status);
}
