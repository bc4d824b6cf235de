import type { Admission } from '../../kernel/kit/bucket.ts';
import type { BucketCost } from './store/buckets.ts';
import { createRates, type Limit, type Tables } from './limiter-rates.ts';

/** Where buckets are kept. */
export interface BucketStore {
  /** Takes from every bucket or from none. One Admission per bucket, in order. No key may come twice. */
  take(costs: readonly BucketCost[]): readonly Admission[] | Promise<readonly Admission[]>;
}

interface LimiterOptions {
  readonly store: BucketStore;
  /** False admits everybody; buckets are still kept, so that headers stay true. */
  readonly enabled: boolean;
  /** The operator's numbers by bucket name, in place of the declared ones. */
  readonly tables: Tables;
}

export interface Limiter {
  /**
   * Takes `cost` tokens (default 1) from each bucket of the subject or from none. Returns the admission of the
   * bucket that matters most, as a value where the store answers with one.
   */
  take(
    limits: readonly Limit[],
    subject: string,
    tier: number,
    cost?: number,
  ): Admission | Promise<Admission>;
}

export function createLimiter({ store, enabled, tables }: LimiterOptions): Limiter {
  const rateOf = createRates(tables);

  function choose(admissions: readonly Admission[]): Admission {
    const admission = mostRelevant(admissions);
    return enabled || admission.allowed ? admission : { ...admission, allowed: true, retryInMs: 0 };
  }

  return {
    take(limits, subject, tier, cost = 1) {
      const costs = limits.map((limit) => ({
        key: `${limit.name}\n${subject}`,
        rate: rateOf(limit, tier),
        cost,
      }));
      const taken = store.take(costs);
      return taken instanceof Promise ? taken.then(choose) : choose(taken);
    },
  };
}

/** The bucket that refused (the longer wait if several did), else the one with the smallest share left. */
function mostRelevant(admissions: readonly Admission[]): Admission {
  const [only] = admissions;
  if (only !== undefined && admissions.length === 1) return only;
  const refused = admissions.filter((admission) => !admission.allowed);
  if (refused.length > 0)
    return refused.reduce((one, other) => (other.retryInMs > one.retryInMs ? other : one));
  return admissions.reduce((one, other) => (shareOf(other) < shareOf(one) ? other : one));
}

function shareOf({ remaining, capacity }: Admission): number {
  return remaining / capacity;
}
