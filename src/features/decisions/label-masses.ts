/** Between these label masses are counted, as the metric has them: most of a model that understands lie above 0.9. */
const bounds = [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99] as const;

/** Counts of label masses that a file of `nestor calibrate` holds. */
export const massCells: number = bounds.length + 1;

/** How many label masses lie between two bounds each, from the lowest on. */
export function countMasses(masses: Iterable<number>): number[] {
  const counts = Array.from({ length: massCells }, () => 0);
  for (const mass of masses) {
    const above = bounds.findIndex((bound) => mass <= bound);
    const cell = above < 0 ? bounds.length : above;
    counts[cell] = (counts[cell] ?? 0) + 1;
  }
  return counts;
}
