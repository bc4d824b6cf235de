import { monthOf } from './units-of-measure.ts';

/** A date in a text. */
export interface WrittenDate {
  /** `YYYY-MM-DD`, `YYYY-MM` or `--MM-DD`; several where the order of day and month is not known. */
  readonly keys: readonly string[];
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const numeric =
  /\b(?:(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})|(?<first>\d{1,2})(?<mark>[./])(?<second>\d{1,2})\k<mark>(?<last>\d{4}))\b/g;
/** "23 November 2026", "23. November", "November 23rd, 2026", "Nov 2026": a word between or beside numbers. */
const worded =
  /\b(?:(?<before>\d{1,2})(?:st|nd|rd|th|\.)? (?:of |de )?)?(?<name>\p{L}{3,10})\.? (?:(?<after>\d{1,2})(?:st|nd|rd|th)?(?:, (?<yearAfter>\d{4}))?|(?:de )?(?<year>\d{4}))\b/gu;
const dayAndMonth = /\b(?<day>\d{1,2})(?:st|nd|rd|th|\.)? (?:of |de )?(?<name>\p{L}{3,10})\b/gu;

const two = (value: string | number): string => String(value).padStart(2, '0');
const isDay = (value: string): boolean => Number(value) >= 1 && Number(value) <= 31;
const isMonth = (value: string): boolean => Number(value) >= 1 && Number(value) <= 12;

/** The dates of a text, in order, none within another. */
export function datesIn(text: string): readonly WrittenDate[] {
  const found = [...numericDates(text), ...wordedDates(text)].toSorted((a, b) => a.start - b.start);
  const dates: WrittenDate[] = [];
  for (const date of found) if (date.start >= (dates.at(-1)?.end ?? 0)) dates.push(date);
  return dates;
}

function* numericDates(text: string): Generator<WrittenDate> {
  for (const match of text.matchAll(numeric)) {
    const { year = '', month = '', day = '', first = '', second = '', last = '' } = match.groups ?? {};
    const keys: string[] = [];
    if (year !== '' && isMonth(month) && isDay(day)) keys.push(`${year}-${two(month)}-${two(day)}`);
    if (last !== '' && isDay(first) && isMonth(second)) keys.push(`${last}-${two(second)}-${two(first)}`);
    if (last !== '' && isMonth(first) && isDay(second)) keys.push(`${last}-${two(first)}-${two(second)}`);
    if (keys.length > 0) yield toDate(keys, match);
  }
}

function* wordedDates(text: string): Generator<WrittenDate> {
  for (const match of text.matchAll(worded)) {
    const { before = '', name = '', after = '', yearAfter = '', year: own = '' } = match.groups ?? {};
    const month = monthOf(name);
    const day = before === '' ? after : before;
    const year = yearAfter === '' ? own : yearAfter;
    if (month === undefined || (day !== '' && !isDay(day))) continue;
    // "12 May 23": two days are none.
    if (before !== '' && after !== '') continue;
    if (year === '' && day === '') continue;
    const key =
      year === ''
        ? `--${two(month)}-${two(day)}`
        : `${year}-${two(month)}${day === '' ? '' : `-${two(day)}`}`;
    yield toDate([key], match);
  }
  for (const match of text.matchAll(dayAndMonth)) {
    const { day = '', name = '' } = match.groups ?? {};
    const month = monthOf(name);
    if (month !== undefined && isDay(day)) yield toDate([`--${two(month)}-${two(day)}`], match);
  }
}

function toDate(keys: readonly string[], match: RegExpExecArray): WrittenDate {
  return { keys, text: match[0], start: match.index, end: match.index + match[0].length };
}

/** Whether a date is said by another, which may say more: November 2026 by 23 November 2026. */
export function isSaidBy(key: string, other: string): boolean {
  if (key === other) return true;
  return key.startsWith('--') ? other.endsWith(key.slice(1)) : other.startsWith(`${key}-`);
}
