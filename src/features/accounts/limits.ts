import type { Config } from '../../kernel/config.ts';
import { suggestNames } from '../../kernel/config/names.ts';
import type { Operation } from '../../kernel/http/operation.ts';
import type { PipelineDependencies } from '../../kernel/http/pipeline.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import { every } from '../../kernel/kit/every.ts';
import type { Log } from '../../kernel/kit/log.ts';
import type { Database } from '../../kernel/store/database.ts';
import { createFallbackBuckets } from './fallback-buckets.ts';
import { createLimiter, type BucketStore } from './limiter.ts';
import { createMemoryBuckets } from './memory-buckets.ts';
import { openRedisBuckets } from './redis-buckets.ts';
import { createSharedBuckets } from './store/buckets.ts';

interface LimitDependencies {
  readonly operations: readonly Operation<never>[];
  readonly database: Pick<Database, 'postgres'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Longest wait for shared buckets. Unit: ms. */
  readonly deadlineMs?: number | undefined;
}

/** `degraded`: Redis does not answer, and this process counts alone. */
type RedisState = 'ok' | 'degraded' | 'not_configured';

export type Limits = Awaited<ReturnType<typeof openLimits>>;

/** A missing bucket is full, so only one that cannot miss anything any more may go: the largest debt is hours. */
const sweepIdleMs = 6 * 3_600_000;
const sweepEveryMs = 600_000;

/**
 * The limiter, with its buckets in Redis where that is set, else in PostgreSQL where that is the store, else in memory.
 * Throws an Error of one line for a table that no bucket reads.
 */
export async function openLimits(
  { rateLimits: { enabled, tables }, redis: url }: Pick<Config, 'rateLimits' | 'redis'>,
  { operations, database, clock, log, deadlineMs }: LimitDependencies,
) {
  checkTables(Object.keys(tables), bucketNames(operations));
  const memory = createMemoryBuckets(clock);
  const build = (store: BucketStore, redis: () => RedisState, close: () => Promise<void>) => ({
    ...createLimiter({ store, enabled, tables }),
    redis,
    close,
  });
  // Where nobody is refused, nobody has to be counted together.
  if (!enabled || (url === null && database.postgres === null))
    return build(
      memory,
      () => 'not_configured',
      () => Promise.resolve(),
    );
  const onChange = (failure: Error | null): void => {
    // The message alone: what a driver hangs on its errors has the keys of buckets, and they have addresses.
    if (failure === null) log.info('rate limits: the shared buckets answer again');
    else log.warn(`rate limits: counted by this process alone, the shared buckets fail: ${failure.message}`);
  };
  if (url !== null) {
    const shared = await openRedisBuckets({ url });
    const store = createFallbackBuckets({ shared, memory, clock, onChange, deadlineMs });
    const redis = () => (store.isShared() && shared.isConnected() ? 'ok' : 'degraded');
    return build(store, redis, () => shared.close());
  }
  const shared = createSharedBuckets(database);
  const sweeping = every(sweepEveryMs, async () => void (await shared.sweep(sweepIdleMs)));
  return build(
    createFallbackBuckets({ shared, memory, clock, onChange, deadlineMs }),
    () => 'not_configured',
    () => sweeping.close(),
  );
}

export function createAdmit(limiter: Limits): PipelineDependencies<unknown>['admit'] {
  return (buckets, { principal, address }, cost) =>
    limiter.take(buckets, principal?.accountId ?? address, principal?.tier ?? 0, cost);
}

/** Every bucket that an operation may take from. */
function bucketNames(operations: readonly Operation<never>[]): string[] {
  const names = operations.flatMap(({ buckets, bodyBuckets }) =>
    [...buckets, ...(bodyBuckets?.buckets ?? [])].map(({ name }) => name),
  );
  return [...new Set(names)].sort();
}

function checkTables(given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new Error(`rate_limits.tables.${unknown}: no such bucket; ${suggestNames(unknown, known)}`);
}
