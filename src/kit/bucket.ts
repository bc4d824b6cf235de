/** Requests (or chunks) per window; the window's number is also the burst. */
export interface Rate {
  /** Tokens that a full bucket holds. */
  readonly capacity: number;
  /** Time in which an empty bucket fills. Unit: ms. */
  readonly windowMs: number;
}

/** What a bucket said, as a value: nobody but the pipeline turns a denial into a fault. */
export interface Admission {
  readonly allowed: boolean;
  readonly capacity: number;
  /** Whole tokens left, never negative. */
  readonly remaining: number;
  /** Until the bucket is full again. Unit: ms. */
  readonly fullInMs: number;
  /** Until the same request can be admitted; 0 when it was. Unit: ms. */
  readonly retryInMs: number;
  /** The bucket's new state: the instant at which it will be full. Same clock as `now`. */
  readonly fullAt: number;
}

/** 33 takes of 1/33 s do not add up to exactly 1 s in float64; without this the last token would be lost. */
const slack = 1e-6;

/**
 * Continuous-refill bucket as one number per key: the instant at which it would be full (GCRA). Nothing is
 * written while it rests and no timer runs. A cost above the capacity is admitted by a full bucket, whose fill
 * then goes below zero and delays what comes later. Times in ms, from a clock that never goes back.
 */
export function take(fullAt: number, now: number, rate: Rate, cost = 1): Admission {
  const perToken = rate.windowMs / rate.capacity;
  const start = Math.max(fullAt, now);
  const fill = rate.capacity - (start - now) / perToken;
  const needed = Math.min(cost, rate.capacity);
  const allowed = fill + slack >= needed;
  const next = allowed ? start + cost * perToken : start;
  const left = allowed ? fill - cost : fill;
  return {
    allowed,
    capacity: rate.capacity,
    remaining: Math.max(0, Math.floor(left + slack)),
    fullInMs: next - now,
    retryInMs: allowed ? 0 : (needed - fill) * perToken,
    fullAt: next,
  };
}
