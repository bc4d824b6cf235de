/** Source of time, passed in so that tests can set it. */
export interface Clock {
  /** Wall time since the Unix epoch. Unit: ms. May jump. */
  now(): number;
  /** Monotonic time from an arbitrary origin. Unit: ms, with fractions. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
