/** Requests (or chunks) per window; the window's number is also the burst. */
export interface Rate {
  /** Tokens that a full bucket holds. */
  readonly capacity: number;
  /** Time in which an empty bucket fills. Unit: ms. */
  readonly windowMs: number;
}

/**
 * The stored state of a bucket: tokens that were missing at one instant. Relative to that instant, because an absolute
 * "full at" in milliseconds is too coarse after days of running: at 1,670 a second the burst was off by one.
 */
export interface Fill {
  readonly missing: number;
  /** Same clock as `now`. Unit: ms. */
  readonly at: number;
}

/** A bucket that nobody has used. */
export const fullBucket: Fill = { missing: 0, at: 0 };

/** The answer of a bucket, as a value: only the pipeline turns a denial into a fault. */
export interface Admission {
  readonly allowed: boolean;
  readonly capacity: number;
  /** Whole tokens left, never negative. */
  readonly remaining: number;
  /** Until the bucket is full again. Unit: ms. */
  readonly fullInMs: number;
  /** Until the same request can be admitted; 0 when it was. Unit: ms. */
  readonly retryInMs: number;
  /** The bucket's new state. */
  readonly fill: Fill;
}

/** A wait that is announced and kept to the microsecond must be enough, however float64 rounds. */
const slackMs = 1e-3;

/**
 * Continuous-refill bucket. Nothing is written while it rests and no timer runs. A cost above the capacity is
 * admitted by a full bucket, whose fill then goes below zero and delays what comes later. Times in ms, from a
 * clock that never goes back.
 */
export function take(fill: Fill, now: number, rate: Rate, cost = 1): Admission {
  const perMs = rate.capacity / rate.windowMs;
  const missing = Math.max(0, fill.missing - (now - fill.at) * perMs);
  const slack = slackMs * perMs;
  const left = rate.capacity - missing;
  const needed = Math.min(cost, rate.capacity);
  const allowed = left + slack >= needed;
  const after = allowed ? missing + cost : missing;
  return {
    allowed,
    capacity: rate.capacity,
    remaining: Math.max(0, Math.floor(rate.capacity - after + slack)),
    fullInMs: after / perMs,
    retryInMs: allowed ? 0 : (needed - left) / perMs,
    fill: { missing: after, at: now },
  };
}
