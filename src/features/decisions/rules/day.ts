import { type Token, tokensOf } from './asked.ts';
import { Cursor, Phrases, phrases } from './cursor.ts';

/** A day, a month or a year. Unit: ms since 1970, UTC; the end does not belong to it. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const dayMs = 86_400_000;
const monthNames =
  'january february march april may june july august september october november december'.split(' ');
const months: ReadonlyMap<string, number> = new Map(
  monthNames.flatMap((name, at) =>
    [name, name.slice(0, 3), name.slice(0, 4)].map((short) => [short, at] as const),
  ),
);

export const isBefore = (a: Span, b: Span): boolean => a.to <= b.from;
export const isAfter = (a: Span, b: Span): boolean => a.from >= b.to;

/** The day that a text begins with, as programs write it ("2026-03-01T10:00:00Z") or people ("1 March 2026"). */
export function toSpan(text: string): Span | null {
  const stamp = /^\s*(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}/.exec(text);
  if (stamp !== null) return toSpan(stamp[1] ?? '');
  const cursor = new Cursor(tokensOf(text.slice(0, 60)));
  const span = takeDate(cursor);
  return span !== null && cursor.isDone ? span : null;
}

/** A month of any year, or a day of it. */
export interface Yearless {
  readonly month: number;
  readonly date: number | null;
}

/** Reads "November", "22 November", "November 22nd"; null where no month comes next, or a year follows. */
export function takeYearless(cursor: Cursor): Yearless | null {
  const start = cursor.at;
  cursor.take(of);
  const before = takeDayNumber(cursor);
  cursor.take(of);
  const month = months.get(cursor.take(monthWords) ?? '');
  const date = before ?? takeDayNumber(cursor);
  if (month !== undefined && cursor.takeKind('number') === null) return { month, date };
  cursor.backTo(start);
  return null;
}

/** Whether a day lies in a month of any year, or is a day of it; null for a span that is longer. */
export function fallsIn({ from, to }: Span, { month, date }: Yearless): boolean | null {
  const read = new Date(from);
  if (to - from > (date === null ? 31 : 1) * dayMs) return null;
  return read.getUTCMonth() === month && (date === null || read.getUTCDate() === date);
}

/** Whether a month is named, with or without a number beside it. */
export const namesMonth = (tokens: readonly Token[]): boolean => monthWords.areIn(tokens);

const of = phrases('of|the');
const monthWords = new Phrases(months.keys());

/** Reads "2026-03-01", "1 March 2026", "March 1st 2026", "March 2026", "2026"; null where no whole date comes next. */
export function takeDate(cursor: Cursor): Span | null {
  const start = cursor.at;
  cursor.take(of);
  const span = takeNumeric(cursor) ?? takeNamed(cursor);
  if (span === null) cursor.backTo(start);
  return span;
}

function takeNumeric(cursor: Cursor): Span | null {
  const start = cursor.at;
  const text = cursor.takeKind('number')?.text ?? '';
  const parts = text.split(/[./-]/).map(Number);
  const [a = 0, b = 0, c = 0] = parts;
  if (/^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}$/.test(text)) return day(a, b - 1, c);
  if (/^\d{1,2}\.\d{1,2}\.\d{4}$/.test(text)) return day(c, b - 1, a);
  // Day and month are in one order here and in the other there.
  if (/^\d{1,2}[/-]\d{1,2}[/-]\d{4}$/.test(text))
    return a > 12 || a === b ? day(c, b - 1, a) : b > 12 ? day(c, a - 1, b) : null;
  if (/^(?:19|20)\d\d$/.test(text)) return { from: Date.UTC(a, 0), to: Date.UTC(a + 1, 0) };
  cursor.backTo(start);
  return null;
}

function takeNamed(cursor: Cursor): Span | null {
  let date = takeDayNumber(cursor);
  cursor.take(of);
  const month = months.get(cursor.take(monthWords) ?? '');
  if (month === undefined) return null;
  date ??= takeDayNumber(cursor);
  const year = cursor.takeKind('number')?.text ?? '';
  if (!/^(?:19|20)\d\d$/.test(year)) return null;
  if (date !== null) return day(Number(year), month, date);
  return { from: Date.UTC(Number(year), month), to: Date.UTC(Number(year), month + 1) };
}

function takeDayNumber(cursor: Cursor): number | null {
  const start = cursor.at;
  const token = cursor.takeAny();
  const digits = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(token?.text ?? '');
  if (digits !== null) return Number(digits[1]);
  cursor.backTo(start);
  return null;
}

function day(year: number, month: number, date: number): Span | null {
  const from = Date.UTC(year, month, date);
  const read = new Date(from);
  return read.getUTCMonth() === month && read.getUTCDate() === date ? { from, to: from + dayMs } : null;
}
