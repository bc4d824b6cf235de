import type { Clock } from '../../../../kernel/kit/clock.ts';
import { isJsonObject, type JsonObject } from '../../../../kernel/kit/json.ts';
import type { Outbound } from '../../../../kernel/kit/outbound.ts';
import type { OutboundOutcome, OutboundStream } from '../../../../kernel/kit/outbound-request.ts';
import { retrying, type RetryVerdict } from '../../../../kernel/kit/retry.ts';
import { toFailure } from '../../../../kernel/kit/call-failure.ts';
import type { ModelRequest } from '../../model.ts';
import { streamBounds, type ProviderTimeouts } from '../../stream-bounds.ts';
import { toFault } from '../../upstream-fault.ts';
import { endpointOf, toHeaders } from './endpoint.ts';
import { familyOfUrl, quirksOf, type Quirks, type ServerFamily } from './quirks.ts';
import { learnFrom, noCompatibility, withoutDropped, type CompatibilityCache } from './refusal.ts';
import { toRequest } from './request.ts';

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
  readonly quirks: Quirks;
}

/** One server, and what was found out about it. */
export interface Server {
  /** As far as its models are concerned. */
  quirksFor(model: string): Quirks;
  /** What the last list told, or an answer since. One request that fails says nothing of the server. */
  health(): 'ok' | 'down';
  /** Begins an answer. Throws Fault; rejects with the signal's reason. */
  ask(
    model: string,
    request: ModelRequest,
    outputTokensMax: number | null,
    signal: AbortSignal,
  ): Promise<Asked>;
  call(url: string, json: string | null, timeoutMs: number, signal: AbortSignal): Promise<OutboundOutcome>;
  /** What its list of models says of it; an address that is known decides over it. Returns what it now counts as. */
  recognize(told: ServerFamily): ServerFamily;
  report(isUp: boolean): void;
}

/** Before the first byte only. Whoever asks for a longer wait is told on at once: another backend may be free. */
const retryPolicy = { retriesMax: 2, baseMs: 200, capMs: 1_000, retryAfterMaxMs: 2_000 };
/** Fields that one request may be refused for, one after the other. */
const lessonsMax = 6;

export function createServer(parts: ServerParts): Server {
  const { baseUrl, outbound, clock, timeoutMs } = parts;
  const known = familyOfUrl(baseUrl);
  const url = endpointOf(baseUrl, '/chat/completions');
  const headers = toHeaders(parts.key, parts.headers, known);
  const compatibility = new Map<string, CompatibilityCache>();
  let family = known;
  let up = true;

  const send = (body: JsonObject, deadlineAt: number, signal: AbortSignal): Promise<OutboundStream> => {
    const json = JSON.stringify(body);
    const startedAt = deadlineAt - timeoutMs;
    const attempt = () =>
      outbound.open({
        method: 'POST',
        url,
        headers,
        json,
        ...streamBounds(parts, clock.monotonic() - startedAt),
        signal,
      });
    return retrying(attempt, (outcome) => judge(outcome, clock), retryPolicy, parts, { deadlineAt, signal });
  };

  return {
    quirksFor: (model) => quirksWith(family, compatibility.get(model)),
    health: () => (up ? 'ok' : 'down'),
    async ask(model, request, outputTokensMax, signal) {
      const deadlineAt = clock.monotonic() + timeoutMs;
      let known = compatibility.get(model) ?? noCompatibility;
      for (let lesson = 0; ; lesson++) {
        const quirks = quirksWith(family, known);
        const body = withoutDropped(toRequest(model, request, quirks, outputTokensMax), known);
        const outcome = await send(body, deadlineAt, signal);
        if (outcome.ok) {
          up = true;
          // Kept only now: what a caller wrote may stand in a refusal, and must not teach anything.
          if (lesson > 0) compatibility.set(model, known);
          return { chunks: outcome.chunks, progress: outcome.progress, quirks };
        }
        const isRefusal = outcome.status === 400 || outcome.status === 422;
        const next = isRefusal && lesson < lessonsMax ? learnFrom(outcome.body, body, known) : null;
        if (next === null) throw toFault(outcome, clock.now());
        known = next;
      }
    },
    call: (to, json, callTimeoutMs, signal) =>
      outbound.call({
        method: json === null ? 'GET' : 'POST',
        url: to,
        headers,
        ...(json === null ? {} : { json }),
        timeoutMs: callTimeoutMs,
        signal,
      }),
    recognize(told) {
      if (known === 'unknown') family = told;
      return family;
    },
    report: (isUp) => (up = isUp),
  };
}

function quirksWith(family: ServerFamily, known: CompatibilityCache | undefined): Quirks {
  const quirks = quirksOf(family);
  return known === undefined ? quirks : { ...quirks, ...known.quirks };
}

function judge(outcome: OutboundStream, clock: Clock): RetryVerdict {
  if (outcome.ok || isOutOfCredit(outcome)) return 'done';
  const failure = toFailure(outcome, clock.now());
  return failure.retryable ? { afterMs: failure.retryAfterMs } : 'done';
}

/** OpenAI says 429 for it, and no wait helps. */
function isOutOfCredit({ body }: OutboundOutcome & { ok: false }): boolean {
  return isJsonObject(body) && isJsonObject(body['error']) && body['error']['code'] === 'insufficient_quota';
}
