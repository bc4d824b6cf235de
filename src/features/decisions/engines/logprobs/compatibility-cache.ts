import { raceSignal } from '../../../../kernel/kit/abort.ts';
import type { RetryBounds } from '../../../../kernel/kit/retry.ts';
import type { CallDependencies } from '../../../../kernel/kit/upstreams-call.ts';
import type { Upstream } from '../../../../kernel/kit/upstreams.ts';
import { probe, type Capabilities } from './probe.ts';
import { CallError, createServer } from './server.ts';

export type CompatibilityCache = ReturnType<typeof createCompatibilityCache>;

/**
 * Probes each upstream once. Callers share a probe in progress; it has its own deadline, because the caller that
 * started it may leave while others wait.
 */
export function createCompatibilityCache(
  calls: CallDependencies,
  targets: readonly Upstream[],
  timeoutMs: number,
) {
  const found = targets.map((): Capabilities | null => null);
  const running = targets.map((): Promise<Capabilities> | null => null);
  const closing = new AbortController();
  const { clock } = calls;

  async function probeShared(index: number, target: Upstream): Promise<Capabilities> {
    const bounds = { deadlineAt: clock.monotonic() + timeoutMs, signal: closing.signal };
    try {
      const capabilities = await probe(createServer(calls, target, bounds));
      found[index] = capabilities;
      return capabilities;
    } finally {
      running[index] = null;
    }
  }

  function begin(index: number): Promise<Capabilities> {
    const target = targets[index];
    if (target === undefined) return Promise.reject(new RangeError('no such upstream'));
    return (running[index] ??= probeShared(index, target));
  }

  return {
    get: (index: number) => found[index] ?? null,
    /** Cached capabilities, or those that a probe finds. Throws CallError; rejects with the signal's reason. */
    find: async (index: number, bounds: RetryBounds): Promise<Capabilities> =>
      found[index] ?? within(begin(index), bounds.deadlineAt - clock.monotonic(), bounds.signal),
    /** Probes all upstreams and waits at most `waitMs`. Calls `onFailure` for each that fails, even after that. */
    async probeAll(waitMs: number, onFailure: (index: number) => void): Promise<void> {
      const all = targets.map((_, index) => begin(index).catch(() => onFailure(index)));
      await within(Promise.all(all), waitMs, closing.signal).catch(() => {});
    },
    forget(index: number): void {
      found[index] = null;
    },
    close: () => closing.abort(new Error('closed')),
  };
}

/** Waits for a shared promise; giving up does not cancel its work. */
async function within<Value>(promise: Promise<Value>, ms: number, signal: AbortSignal): Promise<Value> {
  const late = new AbortController();
  const cause = new Error('the server was not probed in time');
  const tooLate = {
    kind: 'timeout',
    status: null,
    retryable: false,
    away: true,
    retryAfterMs: null,
    cause,
  } as const;
  const timer = setTimeout(() => late.abort(new CallError(tooLate)), ms);
  try {
    return await raceSignal(promise, AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}
