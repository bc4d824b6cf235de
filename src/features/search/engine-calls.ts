import type { Clock } from '../../kernel/kit/clock.ts';
import { OutboundBroken, type Outbound } from '../../kernel/kit/outbound.ts';
import { retrying, type RetryVerdict } from '../../kernel/kit/retry.ts';
import { toFailure, unusable, type CallFailure } from '../../kernel/kit/call-failure.ts';
import { callOne } from '../../kernel/kit/upstreams-call.ts';
import { ResponseError, type EngineCalls, type EngineRequest } from './engine-exchange.ts';
import { toFault } from './upstream-fault.ts';

interface EngineCallsOptions {
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** Random number in [0, 1), for the jitter of retries. */
  readonly random: () => number;
  /** Timeout of one call, its retry included. Unit: ms. */
  readonly timeoutMs: number;
  readonly userAgent: string;
}

/** One retry, soon: a search is worth less the longer it takes, and other engines answer meanwhile. */
const retryPolicy = { retriesMax: 1, baseMs: 150, capMs: 500, retryAfterMaxMs: 1_000 };

export function createEngineCalls(options: EngineCallsOptions): EngineCalls {
  const { clock, timeoutMs, userAgent } = options;
  const toSent = ({ url, headers, json }: EngineRequest) => ({
    method: json === undefined ? ('GET' as const) : ('POST' as const),
    url,
    headers: { 'user-agent': userAgent, ...headers },
    ...(json === undefined ? {} : { json }),
  });
  return {
    async json(request, read, signal) {
      const bounds = { deadlineAt: clock.monotonic() + timeoutMs, signal };
      const outcome = await callOne({ ...options, policy: retryPolicy }, toSent(request), bounds);
      if (!outcome.ok) throw toFault(toFailure(outcome, clock.now()));
      return reading(read, outcome.body);
    },
    async text(request, read, signal) {
      const deadlineAt = clock.monotonic() + timeoutMs;
      const outcome = await retrying(
        () => askText(options, toSent(request), deadlineAt, signal),
        (reply): RetryVerdict =>
          'failure' in reply && reply.failure.retryable ? { afterMs: reply.failure.retryAfterMs } : 'done',
        retryPolicy,
        options,
        { deadlineAt, signal },
      );
      if ('failure' in outcome) throw toFault(outcome.failure);
      return reading(read, outcome.text);
    },
  };
}

function reading<Body, Value>(read: (body: Body) => Value, body: Body): Value {
  try {
    return read(body);
  } catch (error) {
    if (error instanceof ResponseError) throw toFault(unusable(error.message));
    throw error;
  }
}

type TextReply = { readonly text: string } | { readonly failure: CallFailure };

async function askText(
  { outbound, clock }: EngineCallsOptions,
  request: {
    readonly method: 'GET' | 'POST';
    readonly url: string;
    readonly headers: Record<string, string>;
  },
  deadlineAt: number,
  signal: AbortSignal,
): Promise<TextReply> {
  const leftMs = Math.max(1, deadlineAt - clock.monotonic());
  const headers = { accept: 'application/atom+xml, application/xml', ...request.headers };
  const bounds = { timeoutMs: leftMs, silenceMs: leftMs, totalMs: leftMs };
  const opened = await outbound.open({ ...request, headers, ...bounds, signal });
  if (!opened.ok) return { failure: toFailure(opened, clock.now()) };
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of opened.chunks) chunks.push(chunk);
  } catch (error) {
    if (!(error instanceof OutboundBroken)) throw error;
    const outcome = { ...opened, ok: false, failure: error.failure, body: null, cause: error } as const;
    return { failure: toFailure(outcome, clock.now()) };
  }
  return { text: Buffer.concat(chunks).toString('utf8') };
}
