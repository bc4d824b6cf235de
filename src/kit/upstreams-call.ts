import type { Clock } from './clock.ts';
import type { Outbound, OutboundOutcome, OutboundRequest } from './outbound.ts';
import { retryAfterMs, retrying, type RetryBounds, type RetryParts, type RetryPolicy } from './retry.ts';
import type { Upstreams } from './upstreams.ts';

/** What to tell of a call that failed for good. `cause` is ours and holds nothing that the server wrote. */
export interface CallFailure {
  /** It may work later, it took too long, or the answer cannot be used. */
  readonly kind: 'unavailable' | 'timeout' | 'unusable';
  readonly status: number | null;
  /** Worth another attempt at the same server. */
  readonly retryable: boolean;
  /** The server is up and only this request was not answered: not a matter for its breaker. */
  readonly alive: boolean;
  readonly retryAfterMs: number | null;
  readonly cause: unknown;
}

export type Attempt<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly failure: CallFailure };

/** A failure of our own finding: the server answered, and what it said cannot be used. */
export function unusable(reason: string, alive = false): CallFailure {
  return {
    kind: 'unusable',
    status: null,
    retryable: false,
    alive,
    retryAfterMs: null,
    cause: new Error(reason),
  };
}

/** Reads an outcome as a failure. Busy is alive; what is misconfigured (401, 403, 404, a redirect) is not. */
export function toFailure(outcome: OutboundOutcome & { ok: false }, now: number): CallFailure {
  const { failure, status, headers } = outcome;
  const shared = {
    status,
    retryAfterMs: retryAfterMs(headers, now),
    cause: new Error(status === null ? failure : `${failure}, status ${status}`, { cause: outcome.cause }),
  };
  if (failure === 'connect') return { ...shared, kind: 'unavailable', retryable: true, alive: false };
  if (failure === 'timeout') return { ...shared, kind: 'timeout', retryable: false, alive: false };
  if (failure === 'cut') return { ...shared, kind: 'unusable', retryable: true, alive: false };
  if (failure !== 'status' || status === null) {
    return { ...shared, kind: 'unusable', retryable: false, alive: false };
  }
  if (status === 429) return { ...shared, kind: 'unavailable', retryable: true, alive: true };
  if (status === 503 || status === 529)
    return { ...shared, kind: 'unavailable', retryable: true, alive: false };
  if (status >= 500 || status === 408) return { ...shared, kind: 'unusable', retryable: true, alive: false };
  const alive = status >= 400 && ![401, 403, 404].includes(status);
  return { ...shared, kind: 'unusable', retryable: false, alive };
}

export interface CallParts extends RetryParts {
  readonly outbound: Outbound;
  readonly policy: RetryPolicy;
}

/** One request to one server, repeated where that helps. What is no JSON of status 2xx is returned as it came. */
export async function callOne(
  { outbound, policy, ...parts }: CallParts,
  request: Omit<OutboundRequest, 'timeoutMs' | 'signal'>,
  bounds: RetryBounds,
): Promise<OutboundOutcome> {
  const { clock } = parts;
  return retrying(
    () => {
      const timeoutMs = Math.max(1, bounds.deadlineAt - clock.monotonic());
      return outbound.call({ ...request, timeoutMs, signal: bounds.signal });
    },
    (outcome) => {
      if (outcome.ok) return 'done';
      const failure = toFailure(outcome, clock.now());
      return failure.retryable ? { afterMs: failure.retryAfterMs } : 'done';
    },
    policy,
    parts,
    bounds,
  );
}

export interface FailoverParts {
  readonly upstreams: Upstreams;
  readonly clock: Clock;
  /** For all upstreams together. Unit: ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Upstreams that cannot answer this request at all are passed by. */
  readonly suits?: (index: number) => boolean;
}

/**
 * Tries upstreams in their order until one answers. Each gets an even share of the time that is left, so that one
 * that hangs leaves time for the next; the last gets all of it. With several failures the one is told that gives
 * the caller most hope: unavailable, then timeout, then unusable.
 */
export async function failover<Value>(
  { upstreams, clock, timeoutMs, signal, suits = () => true }: FailoverParts,
  attempt: (index: number, deadlineAt: number) => Promise<Attempt<Value>>,
): Promise<Attempt<Value>> {
  const endAt = clock.monotonic() + timeoutMs;
  const failures: CallFailure[] = [];
  const order = upstreams.candidates().filter(suits);
  for (const [place, index] of order.entries()) {
    const now = clock.monotonic();
    if (now >= endAt) break;
    if (!upstreams.take(index)) continue;
    const share = (endAt - now) / (order.length - place);
    const result = await settled(upstreams, index, () => attempt(index, now + share));
    signal.throwIfAborted();
    if (result.ok) return result;
    failures.push(result.failure);
  }
  const told = (['unavailable', 'timeout', 'unusable'] as const).flatMap((kind) =>
    failures.filter((failure) => failure.kind === kind),
  );
  return { ok: false, failure: told[0] ?? noneLeft(upstreams.waitMs()) };
}

async function settled<Value>(
  upstreams: Upstreams,
  index: number,
  attempt: () => Promise<Attempt<Value>>,
): Promise<Attempt<Value>> {
  try {
    const result = await attempt();
    upstreams.report(index, result.ok || result.failure.alive ? 'success' : 'failure');
    return result;
  } catch (error) {
    upstreams.report(index, 'abandon');
    throw error;
  }
}

function noneLeft(waitMs: number): CallFailure {
  return {
    kind: 'unavailable',
    status: null,
    retryable: true,
    alive: false,
    retryAfterMs: waitMs,
    cause: new Error('no upstream takes calls now'),
  };
}

export interface ProbingParts {
  readonly upstreams: Upstreams;
  /** How often is looked for upstreams that are due. Unit: ms. */
  readonly everyMs: number;
  /** Has its own deadline. */
  readonly probe: (index: number, signal: AbortSignal) => Promise<Attempt<unknown>>;
}

/** Probes open breakers in the background, so that health recovers without a caller. Keeps no process alive. */
export function startProbing({ upstreams, everyMs, probe }: ProbingParts): { stop(): void } {
  const stopping = new AbortController();
  const timer = setInterval(() => {
    for (const index of upstreams.due()) {
      if (!upstreams.take(index)) continue;
      // What goes wrong here is in the breaker already, and there is nobody to tell.
      settled(upstreams, index, () => probe(index, stopping.signal)).catch(() => {});
    }
  }, everyMs);
  timer.unref();
  return {
    stop() {
      clearInterval(timer);
      stopping.abort(new Error('closed'));
    },
  };
}
