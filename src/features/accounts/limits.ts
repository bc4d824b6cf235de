import { openLimiter, type OpenLimiter } from './open-limiter.ts';
import type { Config } from '../../kernel/config.ts';
import { findNearest } from '../../kernel/config/names.ts';
import type { Operation } from '../../kernel/http/operation.ts';
import type { PipelineDependencies } from '../../kernel/http/pipeline.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { Log } from '../../kernel/kit/log.ts';
import type { Database } from '../../kernel/store/database.ts';

interface LimitDependencies {
  readonly operations: readonly Operation<never>[];
  readonly database: Pick<Database, 'postgres'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** The limiter, wherever it keeps its buckets. Throws an Error of one line for a table that no bucket reads. */
export async function openLimits(
  { rateLimits, redis }: Pick<Config, 'rateLimits' | 'redis'>,
  { operations, database, clock, log }: LimitDependencies,
): Promise<OpenLimiter> {
  checkTables(Object.keys(rateLimits.tables), bucketNames(operations));
  return openLimiter({
    enabled: rateLimits.enabled,
    tables: rateLimits.tables,
    redisUrl: redis,
    database,
    clock,
    onChange(failure) {
      // The message alone: what a driver hangs on its errors has the keys of buckets, and they have addresses.
      if (failure === null) log.info('rate limits: the shared buckets answer again');
      else
        log.warn(`rate limits: counted by this process alone, the shared buckets fail: ${failure.message}`);
    },
  });
}

export function createAdmit(limiter: OpenLimiter): PipelineDependencies<unknown>['admit'] {
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
  const nearest = findNearest(unknown, known);
  const hint = nearest === undefined ? '' : ` did you mean ${nearest}?`;
  throw new Error(`rate_limits.tables.${unknown}: no such bucket;${hint} allowed: ${known.join(', ')}`);
}
