import { toSpan } from '../day.ts';
import type { Node } from './nodes.ts';
import { onlyOne } from './subjects.ts';

const dayMs = 86_400_000;

/** A moment as it was written: its day there, and its time where one is told. */
export interface Moment {
  /** Midnight of the day in UTC, which stands for the day wherever it was written. Unit: ms since 1970. */
  readonly day: number;
  /** Unit: ms since 1970; null for a day alone. */
  readonly at: number | null;
}

const nowKey =
  /^(?:now|today|as_?of|(?:current|todays?)_?(?:date|time|datetime|timestamp|day)|date_?today|reference_?date)$/i;
/** A time without a zone is left alone: it may be any. */
const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** A day or a time; null for a month, a year and any other text. */
export function momentOf({ value }: Pick<Node, 'value'>): Moment | null {
  if (typeof value !== 'string' || !/^\s*\d/.test(value)) return null;
  const span = toSpan(value);
  if (span === null || span.to - span.from > dayMs) return null;
  return { day: span.from, at: stamp.test(value) ? Date.parse(value) : null };
}

/** Whether a value tells when the state was taken. */
export const isNow = ({ key }: Node): boolean => typeof key === 'string' && nowKey.test(key);

/** The moment at which a state was taken, where it tells one. */
export function nowOf(nodes: readonly Node[]): Moment | null {
  const now = onlyOne(nodes.filter(isNow));
  return now === null ? null : momentOf(now);
}

/** Days from one moment to another; whole ones, where a time is not told of both. */
export function daysBetween(from: Moment, to: Moment): number {
  return from.at !== null && to.at !== null ? (to.at - from.at) / dayMs : (to.day - from.day) / dayMs;
}

/** The same moment so many months later, on the last day of a month that is too short. */
export function monthsLater({ day }: Moment, months: number): number {
  const read = new Date(day);
  const first = Date.UTC(read.getUTCFullYear(), read.getUTCMonth() + months);
  const last = Date.UTC(read.getUTCFullYear(), read.getUTCMonth() + months + 1, 0);
  return Math.min(first + (read.getUTCDate() - 1) * dayMs, last);
}

/** Whole months from one moment to another. */
export function monthsBetween(from: Moment, to: Moment): number {
  const [a, b] = [new Date(from.day), new Date(to.day)];
  const months = (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth();
  return monthsLater(from, months) > to.day ? months - 1 : months;
}

const birthKey = /^(?:dob|born(?:_?on)?|birth_?(?:date|day)|date_?of_?birth)$/i;

/** How many full years somebody has, where a state tells the day of the birth and that of today. */
export function ageAt(nodes: readonly Node[]): { readonly years: number; readonly node: Node } | null {
  const node = onlyOne(nodes.filter(({ key }) => typeof key === 'string' && birthKey.test(key)));
  const [born, now] = [node && momentOf(node), nowOf(nodes)];
  if (node === null || born === null || now === null || born.day > now.day) return null;
  return { years: Math.floor(monthsBetween(born, now) / 12), node };
}
