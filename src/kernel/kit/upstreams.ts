import { Breakers, type CallVerdict } from './breakers.ts';
import { toFailure, unusable, type CallFailure } from './call-failure.ts';
import { systemClock, type Clock } from './clock.ts';
import type { Json } from './json.ts';
import { openOutbound } from './outbound.ts';
import type { RetryBounds } from './retry.ts';
import { callOne, failover, verdictOf, type Attempt, type CallDependencies } from './upstreams-call.ts';

export interface Upstream {
  readonly url: string;
  readonly key: string | null;
  readonly model: string;
}

export interface UpstreamsOptions {
  readonly upstreams: readonly Upstream[];
  /** For a whole request with all its attempts. Unit: ms. */
  readonly timeoutMs: number;
  readonly clock?: Clock;
  /** In [0, 1). Spreads retries only. */
  readonly random?: () => number;
  /** First wait before a failing upstream is probed. Unit: ms. */
  readonly coolDownMs?: number;
}

/** `read` throws ResponseError for an unusable answer. */
export interface UpstreamRequest<Value> {
  toJson(model: string): string;
  read(body: Json): Value;
}

/** An unusable answer. The message is private and holds nothing that the upstream wrote. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError';
}

const retryPolicy = { retriesMax: 2, baseMs: 250, capMs: 2_000, retryAfterMaxMs: 5_000 };

interface ServersOptions {
  readonly responseBytesMax: number;
  readonly connectionsMax: number;
  /** Sends a small request to a server that was away. */
  readonly probe: (index: number, bounds: RetryBounds) => Promise<CallVerdict>;
}

interface Asking {
  readonly signal: AbortSignal;
  readonly account: string | undefined;
  readonly toFault: (failure: CallFailure) => Error;
  /** Whether a server can answer this request; all can by default. */
  readonly suits?: (index: number) => boolean;
}

/**
 * Opens servers that replace each other, each with a breaker. They are tried in order; a failed one is probed before it
 * gets requests again.
 */
export function openServers(
  options: UpstreamsOptions,
  { responseBytesMax, connectionsMax, probe }: ServersOptions,
) {
  const { clock = systemClock, random = Math.random, timeoutMs, coolDownMs = 5_000 } = options;
  const outbound = openOutbound({ responseBytesMax, connectionsMax });
  const calls: CallDependencies = { outbound, policy: retryPolicy, clock, random };
  const all = options.upstreams.map((_, index) => index);
  const breakers = new Breakers<number>({
    policy: { failuresMax: 3, coolDownMs, coolDownMaxMs: Math.max(60_000, coolDownMs) },
    clock,
    everyMs: Math.min(1_000, coolDownMs),
    probe: (index, signal) => probe(index, { deadlineAt: clock.monotonic() + timeoutMs, signal }),
  });
  return {
    calls,
    /** Reports a probe made elsewhere that found the server away. */
    rest: (index: number) => breakers.rest(index),
    health: () => (all.every((index) => breakers.isResting(index)) ? 'down' : 'ok'),
    /** The first answer. Rejects with what `toFault` makes of the failure. */
    async ask<Value>(
      attempt: (index: number, bounds: RetryBounds) => Promise<Attempt<Value>>,
      { signal, account, toFault, suits = () => true }: Asking,
    ): Promise<Value> {
      const indices = all.filter(suits);
      const result = await failover(
        { breakers, indices, clock, timeoutMs, signal, account },
        (index, deadlineAt) => attempt(index, { deadlineAt, signal }),
      );
      if (!result.ok) throw toFault(result.failure);
      return result.value;
    },
    close: async () => {
      breakers.close();
      await outbound.close();
    },
  };
}

interface Interface<Value> {
  readonly endpointOf: (url: string) => string;
  readonly probe: UpstreamRequest<Value>;
  readonly responseBytesMax: number;
}

/** The same for servers that answer every request of one interface with one call. */
export function openUpstreams<Value>(
  options: UpstreamsOptions,
  { endpointOf, probe, responseBytesMax }: Interface<Value>,
) {
  const targets = options.upstreams.map((upstream) => ({ ...upstream, url: endpointOf(upstream.url) }));
  const askAt = (index: number, request: UpstreamRequest<Value>, bounds: RetryBounds) =>
    askOne(servers.calls, targets[index], request, bounds);
  const servers = openServers(options, {
    responseBytesMax,
    connectionsMax: 64,
    probe: async (index, bounds) => verdictOf(await askAt(index, probe, bounds)),
  });
  return {
    health: servers.health,
    ask: (request: UpstreamRequest<Value>, asking: Asking): Promise<Value> =>
      servers.ask((index, bounds) => askAt(index, request, bounds), asking),
    close: servers.close,
  };
}

async function askOne<Value>(
  calls: CallDependencies,
  target: Upstream | undefined,
  request: UpstreamRequest<Value>,
  bounds: RetryBounds,
): Promise<Attempt<Value>> {
  if (target === undefined) return { ok: false, failure: unusable('no such upstream') };
  const { url, key, model } = target;
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  const outcome = await callOne(calls, { method: 'POST', url, headers, json: request.toJson(model) }, bounds);
  if (!outcome.ok) return { ok: false, failure: toFailure(outcome, calls.clock.now()) };
  try {
    return { ok: true, value: request.read(outcome.body) };
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    return { ok: false, failure: unusable(error.message) };
  }
}
