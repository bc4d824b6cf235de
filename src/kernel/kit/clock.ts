/** Time as it is handed to whatever needs it, so that tests can turn it by hand. */
export interface Clock {
  /** Wall time since the Unix epoch. Unit: ms. May jump. */
  now(): number;
  /** Time that only moves forward, from an arbitrary origin. Unit: ms, with fractions. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
