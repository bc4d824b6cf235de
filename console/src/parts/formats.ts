const count = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const time = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

export function formatCount(value: number): string {
  return count.format(value);
}

/** 12,345 as 12.3K. */
export function formatCompact(value: number): string {
  return compact.format(value);
}

/** Small costs keep two digits that say something: a decision costs about $0.00003. */
export function formatUsd(value: number): string {
  const digits = value === 0 || value >= 0.01 ? 2 : Math.min(8, 1 - Math.floor(Math.log10(Math.abs(value))));
  return `$${value.toFixed(digits)}`;
}

/** `at` as on the wire: Unix seconds, or a date as text. */
export function formatTime(at: number | string): string {
  return time.format(typeof at === 'number' ? at * 1_000 : Date.parse(at));
}

/** A probability with three digits. */
export function formatProbability(value: number): string {
  return value.toFixed(3);
}

/** Bytes in steps of 1,024, as the limits of the server are set. */
export function formatBinaryBytes(value: number): string {
  if (value < 1_024) return `${value} bytes`;
  const kib = value / 1_024;
  return kib < 1_024 ? `${compact.format(kib)} KiB` : `${compact.format(kib / 1_024)} MiB`;
}
