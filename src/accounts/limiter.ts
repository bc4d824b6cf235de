import { fullBucket, take, type Admission, type Fill, type Rate } from '../kit/bucket.ts';
import type { Clock } from '../kit/clock.ts';

/** A limit as the operation declares it. */
export interface Limit {
  readonly name: string;
  readonly windowMs: number;
  /** One number for everybody, or one per tier. */
  readonly capacity: number | readonly number[];
}

export interface LimiterOptions {
  readonly clock: Clock;
  /** False admits everybody; buckets are still kept, so that headers stay true. */
  readonly enabled: boolean;
  /** The operator's numbers by bucket name, in place of the declared ones. */
  readonly overrides: Readonly<Record<string, number | readonly number[]>>;
}

export interface Limiter {
  /** Takes one token from each bucket of the subject or from none. */
  take(limits: readonly Limit[], subject: string, tier: number): Admission;
}

/** Resting buckets are full, which is what a missing one is; they are dropped when so many are kept. */
const sweepFrom = 10_000;

/** Buckets in the memory of this process: exact for one process. */
export function createLimiter({ clock, enabled, overrides }: LimiterOptions): Limiter {
  const buckets = new Map<string, { readonly fill: Fill; readonly fullAt: number }>();
  let sweepAt = sweepFrom;

  function sweep(now: number): void {
    if (buckets.size < sweepAt) return;
    for (const [key, { fullAt }] of buckets) if (fullAt <= now) buckets.delete(key);
    sweepAt = Math.max(sweepFrom, buckets.size * 2);
  }

  return {
    take(limits, subject, tier) {
      const now = clock.monotonic();
      const taken = limits.map((limit) => {
        const key = `${limit.name}\n${subject}`;
        return {
          key,
          admission: take(buckets.get(key)?.fill ?? fullBucket, now, rateOf(limit, tier, overrides)),
        };
      });
      const allowed = taken.every(({ admission }) => admission.allowed);
      if (allowed || !enabled) {
        for (const { key, admission } of taken) {
          buckets.set(key, { fill: admission.fill, fullAt: now + admission.fullInMs });
        }
      }
      sweep(now);
      const told = mostRelevant(
        taken.map(({ admission }) => admission),
        allowed,
      );
      return enabled ? told : { ...told, allowed: true };
    },
  };
}

function rateOf(limit: Limit, tier: number, overrides: LimiterOptions['overrides']): Rate {
  const capacity = overrides[limit.name] ?? limit.capacity;
  const number = typeof capacity === 'number' ? capacity : capacity[Math.min(tier, capacity.length - 1)];
  return { capacity: number ?? 1, windowMs: limit.windowMs };
}

/** The bucket that refused (the longer wait if several did), else the one with the smallest share left. */
function mostRelevant(admissions: readonly Admission[], allowed: boolean): Admission {
  const share = ({ remaining, capacity }: Admission) => remaining / capacity;
  const candidates = allowed ? admissions : admissions.filter((admission) => !admission.allowed);
  return candidates.reduce((chosen, next) => {
    const nextMatters = allowed ? share(next) < share(chosen) : next.retryInMs > chosen.retryInMs;
    return nextMatters ? next : chosen;
  });
}
