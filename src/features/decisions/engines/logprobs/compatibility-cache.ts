import { raceSignal } from '../../../../kernel/kit/abort.ts';
import type { RetryBounds } from '../../../../kernel/kit/retry.ts';
import type { CallDependencies } from '../../../../kernel/kit/upstreams-call.ts';
import type { Upstream } from '../../../../kernel/kit/upstreams.ts';
import type { Capabilities } from './capabilities.ts';
import { probe } from './probe.ts';
import { CallError, createServer } from './server.ts';

/** Capabilities of each upstream, found by probing it. */
export interface CompatibilityCache {
  get(index: number): Capabilities | null;
  /** Cached capabilities, or those that a probe finds. Throws CallError; rejects with the signal's reason. */
  find(index: number, bounds: RetryBounds): Promise<Capabilities>;
  /** Probes all upstreams and waits at most `waitMs`. Calls `onFailure` for each that fails, even after that. */
  probeAll(waitMs: number, onFailure: (index: number) => void): Promise<void>;
  forget(index: number): void;
  close(): void;
}

/**
 * Probes each upstream once. Callers share a probe in progress; it has its own deadline, because the caller that
 * started it may leave while others wait.
 */
export function createCompatibilityCache(
  calls: CallDependencies,
  targets: readonly Upstream[],
  timeoutMs: number,
): CompatibilityCache {
  const found = targets.map((): Capabilities | null => null);
  const running = targets.map((): Promise<Capabilities> | null => null);
  const closing = new AbortController();
  const { clock } = calls;

  async function probeShared(index: number, target: Upstream): Promise<Capabilities> {
    const bounds = { deadlineAt: clock.monotonic() + timeoutMs, signal: closing.signal };
    try {
      const capabilities = await probe(createServer(calls, target, bounds), () => clock.now());
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
    get: (index) => found[index] ?? null,
    find: async (index, bounds) =>
      found[index] ?? within(begin(index), bounds.deadlineAt - clock.monotonic(), bounds.signal),
    async probeAll(waitMs, onFailure) {
      const all = targets.map(async (_, index) => {
        try {
          await begin(index);
        } catch {
          onFailure(index);
        }
      });
      await within(Promise.all(all), waitMs, closing.signal).catch(() => {});
    },
    forget(index) {
      found[index] = null;
    },
    close: () => closing.abort(new Error('closed')),
  };
}

/** Waits for a shared promise; giving up does not cancel its work. */
async function within<Value>(promise: Promise<Value>, ms: number, signal: AbortSignal): Promise<Value> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(tooLate()), ms);
  try {
    return await raceSignal(promise, AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}

function tooLate(): CallError {
  const cause = new Error('the server was not probed in time');
  return new CallError({
    kind: 'timeout',
    status: null,
    retryable: false,
    away: true,
    retryAfterMs: null,
    cause,
  });
}
