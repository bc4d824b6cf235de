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
    bytes: (request, signal) => readBytes(options, toSent(request), 'application/json', signal),
    async text(request, read, signal) {
      const bytes = await readBytes(
        options,
        toSent(request),
        'application/atom+xml, application/xml',
        signal,
      );
      return reading(read, Buffer.from(bytes.buffer).toString('utf8'));
    },
  };
}

async function readBytes(
  options: EngineCallsOptions,
  request: BytesRequest,
  accept: string,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { clock, timeoutMs } = options;
  const deadlineAt = clock.monotonic() + timeoutMs;
  const outcome = await retrying(
    () => askBytes(options, { ...request, headers: { accept, ...request.headers } }, deadlineAt, signal),
    (reply): RetryVerdict =>
      'failure' in reply && reply.failure.retryable ? { afterMs: reply.failure.retryAfterMs } : 'done',
    retryPolicy,
    options,
    { deadlineAt, signal },
  );
  if ('failure' in outcome) throw toFault(outcome.failure);
  return outcome.bytes;
}

function reading<Body, Value>(read: (body: Body) => Value, body: Body): Value {
  try {
    return read(body);
  } catch (error) {
    if (error instanceof ResponseError) throw toFault(unusable(error.message));
    throw error;
  }
}

type BytesReply = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly failure: CallFailure };

interface BytesRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Record<string, string>;
}

async function askBytes(
  { outbound, clock }: EngineCallsOptions,
  request: BytesRequest,
  deadlineAt: number,
  signal: AbortSignal,
): Promise<BytesReply> {
  const leftMs = Math.max(1, deadlineAt - clock.monotonic());
  const bounds = { timeoutMs: leftMs, silenceMs: leftMs, totalMs: leftMs };
  const opened = await outbound.open({ ...request, ...bounds, signal });
  if (!opened.ok) return { failure: toFailure(opened, clock.now()) };
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of opened.chunks) chunks.push(chunk);
  } catch (error) {
    if (!(error instanceof OutboundBroken)) throw error;
    const outcome = { ...opened, ok: false, failure: error.failure, body: null, cause: error } as const;
    return { failure: toFailure(outcome, clock.now()) };
  }
  return { bytes: joined(chunks) };
}

/** In a buffer of its own, which may be moved to a thread. */
function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
