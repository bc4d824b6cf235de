import { fullBucket, take, type Admission, type Fill, type Rate } from '../../kernel/kit/bucket.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { BucketCost } from './store/buckets.ts';

interface Kept {
  readonly fill: Fill;
  readonly capacity: number;
  /** By the monotonic clock. Unit: ms. */
  readonly fullAt: number;
}

/** Resting buckets are full, which is what a missing one is; they are dropped when so many are kept. */
const sweepFrom = 10_000;

export type MemoryBuckets = ReturnType<typeof createMemoryBuckets>;

/** Buckets in the memory of this process: exact for one process. */
export function createMemoryBuckets(clock: Clock) {
  const buckets = new Map<string, Kept>();
  let sweepAt = sweepFrom;

  function sweep(now: number): void {
    if (buckets.size < sweepAt) return;
    for (const [key, { fullAt }] of buckets) if (fullAt <= now) buckets.delete(key);
    sweepAt = Math.max(sweepFrom, buckets.size * 2);
  }

  function keep({ key, rate }: BucketCost, fill: Fill, fullAt: number): void {
    buckets.set(key, { fill, capacity: rate.capacity, fullAt });
  }

  return {
    take(costs: readonly BucketCost[]): readonly Admission[] {
      const now = clock.monotonic();
      const admissions = costs.map(({ key, rate, cost }) =>
        take(fillOf(buckets.get(key), rate), now, rate, cost),
      );
      if (admissions.every(({ allowed }) => allowed)) {
        for (const [index, { fill, fullInMs }] of admissions.entries()) {
          const cost = costs[index];
          if (cost !== undefined) keep(cost, fill, now + fullInMs);
        }
        sweep(now);
      }
      return admissions;
    },
    /** Replaces what is known of the buckets by what another store said of them just now. */
    adopt(costs: readonly BucketCost[], admissions: readonly Admission[]): void {
      const now = clock.monotonic();
      for (const [index, { fill, fullInMs }] of admissions.entries()) {
        const cost = costs[index];
        if (cost !== undefined) keep(cost, { missing: fill.missing, at: now }, now + fullInMs);
      }
      sweep(now);
    },
    /** How many are kept. */
    size: () => buckets.size,
  };
}

/** A bucket whose capacity changed keeps what it held, clipped to the new capacity. Contract 5.1. */
function fillOf(kept: Kept | undefined, { capacity }: Rate): Fill {
  if (kept === undefined) return fullBucket;
  if (kept.capacity === capacity) return kept.fill;
  return { missing: Math.max(0, capacity - kept.capacity + kept.fill.missing), at: kept.fill.at };
}
