export interface Rate {
  /** Tokens of a full bucket: the rate per window and the burst. */
  readonly capacity: number;
  /** Time to fill an empty bucket. Unit: ms. */
  readonly windowMs: number;
}

/**
 * Stored state of a bucket: the tokens missing at an instant. An absolute "full at" in ms is too coarse after days of
 * running: at 1,670 a second the burst was off by one.
 */
export interface Fill {
  readonly missing: number;
  /** Same clock as `now`. Unit: ms. */
  readonly at: number;
}

export const fullBucket: Fill = { missing: 0, at: 0 };

export interface Admission {
  readonly allowed: boolean;
  readonly capacity: number;
  /** Whole tokens left, never negative. */
  readonly remaining: number;
  /** Time until the bucket is full. Unit: ms. */
  readonly fullInMs: number;
  /** Time until the same request can be admitted; 0 when it was. Unit: ms. */
  readonly retryInMs: number;
  readonly fill: Fill;
}

/** Tolerance for float64 rounding, so that the announced wait always suffices. */
const slackMs = 1e-3;

/**
 * Takes `cost` tokens from a continuously refilled bucket, without timers. A full bucket admits a cost above its
 * capacity; its fill then goes below zero and delays later requests. `now`: ms of a monotonic clock.
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
