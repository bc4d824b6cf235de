/** What all charts by day share. A drawing that nobody can read is no stop of the keyboard; a table says the same. */
export const commonChart = {
  h: 240,
  dataKey: 'day',
  withLegend: true,
  legendProps: { verticalAlign: 'bottom' },
  // As many days as fit, at even distances.
  xAxisProps: { tickFormatter: toShortDay, interval: 'equidistantPreserveStart', minTickGap: 16 },
} as const;

/** By place of the model. */
export const chartColors = ['blue.6', 'teal.6', 'grape.6', 'orange.6', 'cyan.6'] as const;

const shortDay = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** 2026-11-20 as Nov 20. */
function toShortDay(day: string): string {
  return shortDay.format(Date.parse(day));
}
