import type { Config } from '../../kernel/config.ts';
import type { Bucket } from '../../kernel/http/operation.ts';
import type { Admission, Rate } from '../../kernel/kit/bucket.ts';
import type { BucketCost } from './store/buckets.ts';

/** Where buckets are kept. */
export interface BucketStore {
  /** Takes from every bucket or from none. One Admission per bucket, in order. No key may come twice. */
  take(costs: readonly BucketCost[]): readonly Admission[] | Promise<readonly Admission[]>;
}

/** A limit as the operation declares it. */
export type Limit = Pick<Bucket, 'name' | 'windowMs' | 'capacity'>;
/** The operator's numbers by bucket name, in place of the declared ones: one for everybody, or one per tier. */
export type Tables = Readonly<Record<string, Limit['capacity']>>;

interface LimiterOptions extends Pick<Config['rateLimits'], 'enabled'> {
  readonly store: BucketStore;
  readonly tables: Tables;
}

/** Without `enabled` everybody is admitted; buckets are still kept, so that headers stay true. */
export function createLimiter({ store, enabled, tables }: LimiterOptions) {
  const rateOf = createRates(tables);

  function choose(admissions: readonly Admission[]): Admission {
    const admission = mostRelevant(admissions);
    return enabled || admission.allowed ? admission : { ...admission, allowed: true, retryInMs: 0 };
  }

  return {
    /**
     * Takes `cost` tokens from each bucket of the subject or from none. Returns the admission of the bucket that
     * matters most, as a value where the store answers with one.
     */
    take(limits: readonly Limit[], subject: string, tier: number, cost = 1): Admission | Promise<Admission> {
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

/** The rate of a limit in a tier, worked out once: a tier above the table has the last number. */
export function createRates(tables: Tables): (limit: Limit, tier: number) => Rate {
  const known = new WeakMap<Limit, readonly Rate[]>();

  function ratesOf(limit: Limit): readonly Rate[] {
    const capacity = Object.hasOwn(tables, limit.name) ? tables[limit.name] : limit.capacity;
    const numbers = typeof capacity === 'object' ? capacity : [capacity ?? 1];
    const rates = numbers.map((number) => Object.freeze({ capacity: number, windowMs: limit.windowMs }));
    known.set(limit, rates);
    return rates;
  }

  return (limit, tier) => {
    const rates = known.get(limit) ?? ratesOf(limit);
    const rate = rates[Math.min(tier, rates.length - 1)];
    if (rate === undefined) throw new TypeError(`the limit ${limit.name} has no number`);
    return rate;
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
