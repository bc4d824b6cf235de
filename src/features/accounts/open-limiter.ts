import type { Clock } from '../../kernel/kit/clock.ts';
import { createSharedBuckets } from './store/buckets.ts';
import type { Database } from '../../kernel/store/database.ts';
import { createFallbackBuckets } from './fallback-buckets.ts';
import type { Tables } from './limiter-rates.ts';
import { createLimiter, type BucketStore, type Limiter } from './limiter.ts';
import { createMemoryBuckets } from './memory-buckets.ts';
import { openRedisBuckets } from './redis-buckets.ts';

interface OpenLimiterOptions {
  readonly enabled: boolean;
  readonly tables: Tables;
  /** Keeps the buckets where it is set; null leaves them to the database or to this process. */
  readonly redisUrl: string | null;
  readonly database: Pick<Database, 'postgres'>;
  readonly clock: Clock;
  /** Called once when the shared buckets cannot be asked, and with null once when they can again. */
  readonly onChange: (failure: Error | null) => void;
}

export interface OpenLimiter extends Limiter {
  /** Where buckets are kept. */
  readonly store: 'memory' | 'postgres' | 'redis';
  /** `degraded`: it does not answer, and this process counts alone. */
  redis(): 'ok' | 'degraded' | 'not_configured';
  close(): Promise<void>;
}

/** A missing bucket is full, so only one that cannot miss anything any more may go: the largest debt is hours. */
const sweepIdleMs = 6 * 3_600_000;
const sweepEveryMs = 600_000;

/** Chooses where buckets are kept: Redis where it is set, else PostgreSQL where it is the store, else memory. */
export async function openLimiter(options: OpenLimiterOptions): Promise<OpenLimiter> {
  const { enabled, tables, redisUrl, database, clock, onChange } = options;
  const memory = createMemoryBuckets(clock);
  const build = (store: BucketStore) => ({
    ...createLimiter({ store, enabled, tables }),
    redis: () => 'not_configured' as const,
  });
  // Where nobody is refused, nobody has to be counted together.
  if (!enabled || (redisUrl === null && database.postgres === null)) {
    return { ...build(memory), store: 'memory', close: () => Promise.resolve() };
  }
  if (redisUrl !== null) {
    const shared = await openRedisBuckets({ url: redisUrl });
    const store = createFallbackBuckets({ shared, memory, clock, onChange });
    return {
      ...build(store),
      store: 'redis',
      redis: () => (store.isShared() && shared.isConnected() ? 'ok' : 'degraded'),
      close: () => shared.close(),
    };
  }
  const shared = createSharedBuckets(database);
  const store = createFallbackBuckets({ shared, memory, clock, onChange });
  const sweeping = setInterval(() => {
    // What one sweep leaves the next one finds.
    shared.sweep(sweepIdleMs).catch(() => {});
  }, sweepEveryMs).unref();
  return {
    ...build(store),
    store: 'postgres',
    close() {
      clearInterval(sweeping);
      return Promise.resolve();
    },
  };
}
