import type { Clock } from '../../../../kernel/kit/clock.ts';
import type { JsonObject } from '../../../../kernel/kit/json.ts';
import type { Outbound } from '../../../../kernel/kit/outbound.ts';
import type { OutboundOutcome, OutboundStream } from '../../../../kernel/kit/outbound-request.ts';
import { retrying } from '../../../../kernel/kit/retry.ts';
import { toFailure } from '../../../../kernel/kit/call-failure.ts';
import type { ModelRequest } from '../../model.ts';
import { streamBounds, type ProviderTimeouts } from '../../stream-bounds.ts';
import { toFault } from '../../upstream-fault.ts';
import { learnFrom } from './refusal.ts';
import { toRequest } from './request.ts';
import type { Traits } from './traits.ts';

export interface ServerParts extends ProviderTimeouts {
  readonly baseUrl: string;
  readonly key: string | null;
  /** Sent with every request, over our own. */
  readonly headers: Readonly<Record<string, string>>;
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** In [0, 1). Spreads retries only. */
  readonly random: () => number;
}

export interface Asked {
  readonly chunks: AsyncIterable<Buffer>;
  /** An event came. */
  readonly progress: () => void;
  /** Name of the tool whose input is the answer; null where the answer is text. */
  readonly answerTool: string | null;
}

/** One server, and what was found out about it. */
export interface Server {
  /** Begins an answer. Throws Fault; rejects with the signal's reason. */
  ask(model: string, told: Traits, request: ModelRequest, signal: AbortSignal): Promise<Asked>;
  /** What is told of a model, with what refusals taught. */
  traitsFor(model: string, told: Traits): Traits;
  post(path: string, body: JsonObject, timeoutMs: number, signal: AbortSignal): Promise<OutboundOutcome>;
  get(path: string, timeoutMs: number, signal: AbortSignal): Promise<OutboundOutcome>;
  /** What the last list told, or an answer since. One request that fails says nothing of the server. */
  health(): 'ok' | 'down';
  report(isUp: boolean): void;
}

/** Before the first byte only. Whoever asks for a longer wait is told on at once: another backend may be free. */
const retryPolicy = { retriesMax: 2, baseMs: 200, capMs: 1_000, retryAfterMaxMs: 2_000 };
/** Settings that one request may be refused for, one after the other. */
const lessonsMax = 4;
const wireVersion = '2023-06-01';

export function createServer(parts: ServerParts): Server {
  const { outbound, clock, timeoutMs } = parts;
  const headers = toHeaders(parts);
  const lessons = new Map<string, Partial<Traits>>();
  let up = true;

  const send = (body: JsonObject, deadlineAt: number, signal: AbortSignal): Promise<OutboundStream> => {
    const post = { method: 'POST', url: endpointOf(parts.baseUrl, 'messages'), headers } as const;
    const json = JSON.stringify(body);
    const startedAt = deadlineAt - timeoutMs;
    const bounds = () => streamBounds(parts, clock.monotonic() - startedAt);
    return retrying(
      () => outbound.open({ ...post, ...bounds(), json, signal }),
      (outcome) => {
        if (outcome.ok) return 'done';
        const failure = toFailure(outcome, clock.now());
        return failure.retryable ? { afterMs: failure.retryAfterMs } : 'done';
      },
      retryPolicy,
      parts,
      { deadlineAt, signal },
    );
  };

  return {
    traitsFor: (model, told) => ({ ...told, ...lessons.get(model) }),
    health: () => (up ? 'ok' : 'down'),
    report: (isUp) => (up = isUp),
    async ask(model, told, request, signal) {
      const deadlineAt = clock.monotonic() + timeoutMs;
      let learned = lessons.get(model) ?? {};
      for (let lesson = 0; ; lesson++) {
        const traits = { ...told, ...learned };
        const { body, answerTool } = toRequest(model, traits, request);
        const outcome = await send(body, deadlineAt, signal);
        if (outcome.ok) {
          up = true;
          // Kept only now: what a caller wrote may stand in a refusal, and must not teach anything.
          if (lesson > 0) lessons.set(model, learned);
          return { chunks: outcome.chunks, progress: outcome.progress, answerTool };
        }
        const mayTeach = outcome.status === 400 && lesson < lessonsMax;
        const next = mayTeach ? learnFrom(outcome.body, body, traits) : null;
        if (next === null) throw toFault(outcome, clock.now());
        learned = { ...learned, ...next };
      }
    },
    post(path, body, callTimeoutMs, signal) {
      const url = endpointOf(parts.baseUrl, path);
      const json = JSON.stringify(body);
      return outbound.call({ method: 'POST', url, headers, json, timeoutMs: callTimeoutMs, signal });
    },
    get(path, callTimeoutMs, signal) {
      const url = endpointOf(parts.baseUrl, path);
      return outbound.call({ method: 'GET', url, headers, timeoutMs: callTimeoutMs, signal });
    },
  };
}

/** Under the base address, whose own query, if any, stays. */
function endpointOf(baseUrl: string, path: string): string {
  const url = new URL(baseUrl);
  const [name, query = ''] = path.split('?', 2);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/${name}`;
  for (const [field, value] of new URLSearchParams(query)) url.searchParams.set(field, value);
  url.hash = '';
  return url.href;
}

/** Names are compared without case, so that an operator's own header stands instead of ours and not beside it. */
function toHeaders({ key, headers }: ServerParts): Readonly<Record<string, string>> {
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    'anthropic-version': wireVersion,
    ...(key !== null && { 'x-api-key': key }),
    ...Object.fromEntries(own),
  };
}
