import type { Generated } from 'kysely';

/**
 * How long requests took, counted in steps: a column of `usage_days` for each counts those that took less than its
 * bound and not less than the one before. A quantile of any sum of them is known to within a step, and adding to
 * them costs what adding to a sum does. Unit: ms.
 */
export const durationBoundsMs = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000,
] as const;

type Bound = (typeof durationBoundsMs)[number];
export type DurationColumn = `took_${Bound}` | 'took_more';
export type DurationCounts = { readonly [Column in DurationColumn]: Generated<number> };

export const durationColumns: readonly DurationColumn[] = [
  ...durationBoundsMs.map((bound) => `took_${bound}` as const),
  'took_more',
];

/** The place of a duration in `durationColumns`. */
export function placeOfDuration(ms: number): number {
  const place = durationBoundsMs.findIndex((bound) => ms < bound);
  return place === -1 ? durationBoundsMs.length : place;
}

/**
 * The duration that this share of the requests stayed within, in proportion between the bounds of its step, which grow
 * as powers do. Of the last step the lower bound is told: it has no upper one. Null where nothing was counted.
 */
export function quantileOf(counts: readonly number[], share: number): number | null {
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let left = all * share;
  const place = counts.findIndex((count) => {
    if (count > 0 && left <= count) return true;
    left -= count;
    return false;
  });
  const upper = durationBoundsMs[place];
  if (upper === undefined) return durationBoundsMs.at(-1) ?? null;
  const part = left / (counts[place] ?? 1);
  const lower = durationBoundsMs[place - 1];
  return lower === undefined ? upper * part : lower * (upper / lower) ** part;
}
