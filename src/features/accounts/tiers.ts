/** Credits purchased over an account's lifetime from which each tier begins. Unit: USD. */
const tierThresholdsUsd = [0, 50, 250, 500, 1_000, 5_000] as const;

/** Highest tier whose threshold the purchases reach. */
export function tierOf(creditsPurchasedUsd: number): number {
  return tierThresholdsUsd.findLastIndex((threshold) => creditsPurchasedUsd >= threshold);
}
