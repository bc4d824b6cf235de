import type { Token } from '../asked.ts';
import { type Cursor, phrases } from '../cursor.ts';

/** Days of the week by how they begin, from Monday on. */
const weekDays = 'mon tue wed thu fri sat sun'.split(' ');
const dayForm = /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mon|tues?|wed|thur?s?|fri|sat|sun)$/;

/** Place of a day in the week that a word names, from Monday on; null for any other word. */
export const dayOf = (word: string): number | null =>
  dayForm.test(word) ? weekDays.findIndex((name) => word.startsWith(name)) : null;

const minutesOfHour = 60;
const noon = 12 * minutesOfHour;
export const midnight = 24 * minutesOfHour;

/** A time of the day. Unit: minutes since midnight. A time of a clock of 12 hours may be either half of the day. */
export interface ClockTime {
  readonly minutes: number;
  readonly isEither: boolean;
  /** Of a clock of 24 hours. */
  readonly isFull: boolean;
}

const hourNames = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
const halfPast = phrases('half past');
const quarterPast = phrases('quarter past|a quarter past');
const quarterTo = phrases('quarter to|a quarter to');
const oClock = phrases("o'clock|oclock|h|uhr|hours");
const before = phrases('am|a m|in the morning');
const after = phrases('pm|p m|in the afternoon|in the evening|at night|in the night');
const noons = phrases('noon|midday|at noon');
const midnights = phrases('midnight');

/** Reads "9 am", "18:30", "half past eight in the evening", "noon"; null where no time comes next. */
export function takeTime(cursor: Cursor): ClockTime | null {
  const start = cursor.at;
  const time = timeOf(cursor);
  if (time === null) cursor.backTo(start);
  return time;
}

function timeOf(cursor: Cursor): ClockTime | null {
  if (cursor.take(noons) !== null) return { minutes: noon, isEither: false, isFull: false };
  if (cursor.take(midnights) !== null) return { minutes: midnight, isEither: false, isFull: false };
  const added =
    cursor.take(halfPast) !== null
      ? 30
      : cursor.take(quarterPast) !== null
        ? 15
        : cursor.take(quarterTo) !== null
          ? -15
          : 0;
  const token = cursor.takeAny();
  const read = token === null ? null : written(token);
  if (read === null) return null;
  cursor.take(oClock);
  const half = read.half ?? (cursor.take(before) !== null ? 'am' : cursor.take(after) === null ? null : 'pm');
  const minutes = read.minutes + added;
  // "13:00" and "09:00" are of a day of 24 hours.
  if (half === null || read.minutes >= 13 * minutesOfHour)
    return { minutes, isEither: !read.isFull && read.minutes < 13 * minutesOfHour, isFull: read.isFull };
  const hours = read.minutes >= noon && read.minutes < noon + minutesOfHour ? minutes - noon : minutes;
  return { minutes: half === 'pm' ? hours + noon : hours, isEither: false, isFull: false };
}

interface Written {
  readonly minutes: number;
  readonly half: 'am' | 'pm' | null;
  readonly isFull: boolean;
}

/** "9", "9am", "09:30", "eleven" */
function written({ text }: Token): Written | null {
  const named = hourNames.indexOf(text);
  if (named >= 0) return { minutes: (named + 1) * minutesOfHour, half: null, isFull: false };
  const [, hours, minutes = '0', half] = /^(\d{1,2})(?:[:.]([0-5]\d))?(am|pm|h)?$/.exec(text) ?? [];
  if (hours === undefined || Number(hours) > 24) return null;
  return {
    minutes: Number(hours) * minutesOfHour + Number(minutes),
    half: half === 'am' || half === 'pm' ? half : null,
    isFull: /^0\d[:.]/.test(text) || Number(hours) > 12,
  };
}
