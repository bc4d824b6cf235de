import { type Token, tokensOf } from '../asked.ts';
import { Cursor, findFirst, phrases } from '../cursor.ts';
import { isSubject } from '../structure/flags.ts';
import { fillers } from '../structure/words.ts';
import type { Reading } from '../reading.ts';
import { turnedBy, type Verdict, verdict } from '../verdict.ts';
import { type ClockTime, dayOf, midnight, takeTime } from './times.ts';

/** From when to when something is open, by the days of the week. Unit: minutes since midnight. */
type Week = readonly (readonly Hours[] | null)[];
interface Hours {
  readonly from: number;
  readonly to: number;
}

/** All words of the question are known. */
const sure = 0.95;
/** Some tell what one would come for. */
const likely = 0.88;
const charsMax = 2_000;
const unknownMax = 3;
const toldMin = 5;

/** What hours are of, or when they do not hold. */
const exceptions =
  /\b(?:except|unless|holidays?|appointment|summer|winter|season\w*|first|second|last|every other|if|only|until further|temporarily|from (?:january|february|march|april|may|june|july|august|september|october|november|december))\b/i;
const telling = /\b(?:open|opens|opening|hours|closed)\b/i;

/** "is the shop open on Sunday", "can I come by on Saturday at eleven", of the hours that a text tells. */
export function readOpening(tokens: readonly Token[], { text }: Reading): Verdict | null {
  if (text.length > charsMax || !telling.test(text)) return null;
  const asked = askedOf(tokens);
  if (asked === null || exceptions.test(text)) return null;
  const week = weekOf(
    withWords(text)
      .split(/[.!?](?:\s|$)/)
      .map(tokensOf),
  );
  if (week === null) return null;
  const known = week.filter((hours) => hours !== null);
  // Where most of a week is told, the rest is closed.
  if (asked.days.some((day) => week[day] === null) && known.length < toldMin) return null;
  // Of a day that is not told, or of any day.
  const days = asked.days.length > 0 ? asked.days.map((day) => week[day] ?? null) : known;
  if (known.length === 0 || (asked.days.length === 0 && (asked.time === null || known.length < 7)))
    return null;
  const answers = new Set(days.map((hours) => isOpen(hours, asked.time)));
  const [holds, ...others] = answers;
  if (holds === undefined || holds === null || others.length > 0) return null;
  return turnedBy(verdict(holds, asked.certainty), asked.isTurned);
}

/** Hours that tell other days tell that this one is none. */
function isOpen(hours: readonly Hours[] | null, time: ClockTime | null): boolean | null {
  const open = hours ?? [];
  if (time === null) return open.length > 0;
  const isIn = (minutes: number) => open.some(({ from, to }) => minutes >= from && minutes < to);
  // At the minute at which they close, one may come too late.
  if (open.some(({ to }) => to === time.minutes)) return null;
  if (!time.isEither) return isIn(time.minutes);
  const both = [isIn(time.minutes), isIn(time.minutes + midnight / 2)];
  return both[0] === both[1] ? (both[0] ?? null) : null;
}

interface Opening {
  readonly days: readonly number[];
  readonly time: ClockTime | null;
  readonly isTurned: boolean;
  readonly certainty: number;
}

const isAsked = new Set(['open', 'opened']);
const isClosed = new Set(['closed', 'shut']);
const modals = new Set(['can', 'could', 'may']);
const visiting = new Set(
  'i we you they he she my our up come by in visit drop stop there here anyone somebody still be will do does shop store office business'.split(
    ' ',
  ),
);
const visits = new Set('come visit drop stop collect pick buy get bring return fetch'.split(' '));
/** What is asked of another time than that which is named. */
const others = new Set(
  'not before after until till since from between earlier later longer than how today tomorrow now'.split(
    ' ',
  ),
);
const at = phrases('at|around');
const weekend = phrases('weekend|weekends|the weekend|at the weekend|on weekends');

function askedOf(tokens: readonly Token[]): Opening | null {
  const openWord = tokens.some(({ text }) => isAsked.has(text));
  const closedWord = tokens.some(({ text }) => isClosed.has(text));
  const isVisit = tokens.some(({ text }) => modals.has(text)) && tokens.some(({ text }) => visits.has(text));
  if (openWord === closedWord && !isVisit) return null;
  if (tokens.some(({ text }) => others.has(text))) return null;
  const found = findFirst(tokens, (cursor) => (cursor.take(at) === null ? null : takeTime(cursor)));
  const time = found?.found ?? null;
  let rest = found?.rest ?? tokens;
  const ofWeekend = findFirst(rest, (cursor) => cursor.take(weekend));
  rest = ofWeekend?.rest ?? rest;
  const days = rest.flatMap(({ text }) => dayOf(text) ?? []);
  if (ofWeekend !== null) days.push(5, 6);
  if (days.length > (ofWeekend === null ? 1 : 2)) return null;
  const unknown = rest.filter(
    ({ text, kind }) =>
      dayOf(text) === null &&
      !(kind === 'word' && (fillers.has(text) || visiting.has(text) || modals.has(text))) &&
      !(isVisit && visits.has(text)) &&
      !isAsked.has(text) &&
      !isClosed.has(text),
  );
  if (unknown.some(({ kind }) => kind !== 'word')) return null;
  const isKnown = unknown.length === 0 || (!isVisit && isSubject(unknown, tokens));
  if (!isKnown && !(isVisit && unknown.length <= unknownMax)) return null;
  return { days, time, isTurned: closedWord, certainty: isKnown ? sure : likely };
}

/** "Mon-Fri" and "9 am – 6 pm" with words for their dashes. */
const withWords = (text: string): string =>
  text.replaceAll(/(?<=\p{L})[-–—](?=\p{L})|\s[-–—]\s/gu, ' to ').replaceAll(/[–—]/g, '-');

const to = phrases('to|-|–|until|till|through|thru|and');
const daily = phrases('daily|every day|each day|all week|seven days a week|7 days a week|all days');
const weekdays = phrases('weekdays|on weekdays|working days');
const closed = phrases('closed|not open');

/** Words between days and hours. */
const joining = new Set('on and the also from at we are is open opening hours'.split(' '));

const allDays = [0, 1, 2, 3, 4, 5, 6];

/**
 * Hours by day, as the sentences of a text tell them: "Mon-Fri 9 am to 6 pm, Saturday 10-14, closed on Sunday"; null where
 * anything is unclear.
 */
function weekOf(sentences: readonly (readonly Token[])[]): Week | null {
  const week: (Hours[] | null)[] = allDays.map(() => null);
  return sentences.every((tokens) => readSentence(tokens, week)) ? week : null;
}

/** Whether all that it says of hours was understood. */
function readSentence(tokens: readonly Token[], week: (Hours[] | null)[]): boolean {
  const cursor = new Cursor(tokens);
  let days: readonly number[] = [];
  let isUsed = true;
  let isShut = false;
  const shut = (some: readonly number[]) => {
    for (const day of some) week[day] ??= [];
    isUsed = true;
  };
  while (!cursor.isDone) {
    const next = takeDays(cursor);
    const hours = next === null ? takeHours(cursor) : null;
    if (hours === 'unclear') return false;
    if (next !== null) {
      days = isUsed ? next : [...days, ...next];
      isUsed = false;
      if (isShut) shut(next);
    } else if (hours !== null) {
      if (days.length === 0 || isShut) return false;
      for (const day of days) (week[day] ??= []).push(hours);
      isUsed = true;
    } else if (cursor.take(closed) !== null) {
      // "Sunday: closed" or "closed on Sunday"
      if (isUsed) isShut = true;
      else shut(days);
    } else {
      const other = cursor.takeAny();
      if (other?.kind === 'number') return false;
      // Of something else: "On Wednesday we will try again."
      if (!joining.has(other?.text ?? '')) [days, isUsed, isShut] = [[], true, false];
    }
  }
  return isUsed;
}

function takeDays(cursor: Cursor): readonly number[] | null {
  if (cursor.take(daily) !== null) return allDays;
  if (cursor.take(weekdays) !== null) return allDays.slice(0, 5);
  if (cursor.take(weekend) !== null) return allDays.slice(5);
  const first = takeDay(cursor);
  if (first === null) return null;
  const start = cursor.at;
  const joined = cursor.take(to);
  const last = joined === null ? null : takeDay(cursor);
  if (last === null || joined === null) {
    cursor.backTo(start);
    return [first];
  }
  if (joined === 'and') return [first, last];
  return allDays.map((day) => (first + day) % 7).slice(0, ((last - first + 7) % 7) + 1);
}

function takeDay(cursor: Cursor): number | null {
  const start = cursor.at;
  const token = cursor.takeAny();
  const day = token?.kind === 'word' ? dayOf(token.text) : null;
  if (day === null) cursor.backTo(start);
  return day;
}

/** "9 am to 6 pm", "10-14", "8:00 - 20:00" */
function takeHours(cursor: Cursor): Hours | 'unclear' | null {
  const start = cursor.at;
  const dashed = cursor.takeAny();
  const split = /^(\d{1,2}(?:[:.]\d\d)?(?:am|pm)?)-(\d{1,2}(?:[:.]\d\d)?(?:am|pm)?)$/.exec(
    dashed?.text ?? '',
  );
  if (split !== null) return hoursOf(read(split[1] ?? ''), read(split[2] ?? ''));
  cursor.backTo(start);
  const from = takeTime(cursor);
  const end = from !== null && cursor.take(to) !== null ? takeTime(cursor) : null;
  if (end !== null) return hoursOf(from, end);
  cursor.backTo(start);
  return null;
}

const read = (text: string): ClockTime | null => takeTime(new Cursor(tokensOf(text)));

/** "9 to 5" is from the morning to the afternoon; "2 to 6" may be either, and so may "8 to 10 pm". */
function hoursOf(from: ClockTime | null, to: ClockTime | null): Hours | 'unclear' {
  if (from === null || to === null) return 'unclear';
  const half = midnight / 2;
  if (from.isFull || to.isFull)
    return to.minutes > from.minutes ? { from: from.minutes, to: to.minutes } : 'unclear';
  const isMorning = from.minutes >= 7 * 60 && from.minutes <= half;
  if (!from.isEither && !to.isEither)
    return to.minutes > from.minutes ? { from: from.minutes, to: to.minutes } : 'unclear';
  if (!isMorning) return 'unclear';
  if (to.isEither) {
    const end = to.minutes <= from.minutes ? to.minutes + half : to.minutes;
    return { from: from.minutes, to: end };
  }
  // "9 to 6 pm": in the evening it would end before it begins.
  return from.minutes + half >= to.minutes || to.minutes <= half
    ? { from: from.minutes, to: to.minutes }
    : 'unclear';
}
