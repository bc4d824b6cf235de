import type { Admission } from '../../kernel/kit/bucket.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { BucketCost } from './store/buckets.ts';
import type { MemoryBuckets } from './memory-buckets.ts';

interface FallbackOptions {
  /** Shared by several processes. */
  readonly shared: { take(costs: readonly BucketCost[]): Promise<readonly Admission[]> };
  /** Used while the shared store cannot be asked. */
  readonly memory: MemoryBuckets;
  readonly clock: Clock;
  /** Called once when the shared store is given up, and with null once when it is back. */
  readonly onChange: (failure: Error | null) => void;
  /** Longest wait for the shared store. Unit: ms. */
  readonly deadlineMs?: number | undefined;
  /** Pause between two questions to a store that was given up. Unit: ms. */
  readonly retryEveryMs?: number;
}

/**
 * Buckets of a shared store, and of this process while that store is silent: a limit that is counted per process for
 * a while is better than a request that fails or waits for it. One request waits for the deadline at most; those that
 * come while the store is given up do not wait at all. What the shared store said last is where memory begins.
 */
export function createFallbackBuckets(options: FallbackOptions) {
  const { shared, memory, clock, onChange, deadlineMs = 250, retryEveryMs = 1_000 } = options;
  let isUp = true;
  let askAgainAt = 0;

  async function ask(costs: readonly BucketCost[]): Promise<readonly Admission[]> {
    const admissions = await withDeadline(shared.take(costs), deadlineMs);
    memory.adopt(costs, admissions);
    return admissions;
  }

  function giveUp(error: unknown): void {
    askAgainAt = clock.monotonic() + retryEveryMs;
    if (!isUp) return;
    isUp = false;
    onChange(error instanceof Error ? error : new Error(String(error)));
  }

  function comeBack(): void {
    isUp = true;
    onChange(null);
  }

  /** A request that was admitted here is charged there as well, which also shows whether the store is back. */
  function probe(costs: readonly BucketCost[]): void {
    if (clock.monotonic() < askAgainAt) return;
    askAgainAt = Infinity;
    ask(costs).then(comeBack, giveUp);
  }

  return {
    /** False while this process counts alone. */
    isShared: () => isUp,
    take(costs: readonly BucketCost[]): readonly Admission[] | Promise<readonly Admission[]> {
      if (isUp) {
        return ask(costs).catch((error: unknown) => {
          giveUp(error);
          return memory.take(costs);
        });
      }
      const admissions = memory.take(costs);
      probe(costs);
      return admissions;
    },
  };
}

async function withDeadline<Value>(work: Promise<Value>, deadlineMs: number): Promise<Value> {
  const expired = Promise.withResolvers<never>();
  const expire = () => {
    expired.reject(new Error(`no answer within ${deadlineMs} ms`));
  };
  // An answer that came while this process was busy is read before the time is called up.
  const timer = setTimeout(() => setImmediate(expire), deadlineMs);
  try {
    return await Promise.race([work, expired.promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
