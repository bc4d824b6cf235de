import { stem } from '../../../../kernel/kit/stem.ts';
import type { Token } from '../asked.ts';
import { Cursor, phrases } from '../cursor.ts';
import { takeDate, takeYearless } from '../day.ts';
import type { Reading } from '../reading.ts';
import { type Verdict, verdict } from '../verdict.ts';
import { type Clause, clauseOf, fillers, isOpen } from './clauses.ts';

const certainty = 0.93;
const charsMax = 1_200;
const clauseEnds = /(?<=[.!?;])\s|\n|,\s(?=and\s|but\s|it\s|today\s|so\s)/;

/** What is said of the last day for something. */
const last =
  /\b(?:deadline|due|by|until|till|no later than|latest|expir\w+|best before|use by|valid to|closing date|closes?|last day)\b/i;
/** "15 March is the deadline" */
const isNamedLast = /^is the (?:deadline|last|closing)\b/;
const wordsBefore = 6;
const early = phrases(
  'before the deadline|in time|on time|by the deadline|within the deadline|still valid|still good',
);
const late = phrases(
  `too late|late|after the deadline|past the deadline|past its date|past its best|expired|out of date|overdue|missed the
  deadline|miss the deadline`,
);
const acting = new Set(
  'apply applied submit submitted hand handed send sent pay paid arrive arrived come came enter entered in will did does do has have had was were is are i we you they he she it my our your their his her this that'.split(
    ' ',
  ),
);

/** "did she apply before the deadline", "is the milk past its date", where a text has one day until which and another one. */
export function readDeadline(tokens: readonly Token[], { text }: Reading): Verdict | null {
  if (text.length > charsMax) return null;
  const cursor = new Cursor(tokens);
  const place = tokens.findIndex((_, at) => {
    cursor.backTo(at);
    return cursor.take(early) !== null || cursor.take(late) !== null;
  });
  if (place < 0) return null;
  const end = cursor.at;
  cursor.backTo(place);
  const word = cursor.take(late);
  const isLate = word !== null;
  // "a late fee", "late in March"
  if (word === 'late' && end < tokens.length) return null;
  const dated = text
    .split(clauseEnds)
    .map(clauseOf)
    .flatMap((clause) => daysOf(clause).map((day) => ({ clause, ...day })));
  const [until, ...others] = dated.filter(({ isLast }) => isLast);
  const [own, ...more] = dated.filter(({ isLast }) => !isLast);
  if (until === undefined || own === undefined || others.length + more.length > 0) return null;
  if (isOpen(own.clause.text) || isOpen(until.clause.text)) return null;
  const stems = new Set(text.split(/[^\p{L}\p{N}]+/u).map((word) => stem(word.toLowerCase())));
  const isKnown = [...tokens.slice(0, place), ...tokens.slice(end)].every(
    ({ text: word }) => fillers.has(word) || acting.has(word) || stems.has(stem(word)),
  );
  // Only days that are told in the same way compare, and on the last one it may be too late.
  if (!isKnown || until.day < yearless !== own.day < yearless || until.day === own.day) return null;
  return verdict(own.day > until.day === isLate, certainty);
}

/** Months and days of no year are small numbers. */
const yearless = 10_000;
const monthSize = 100;

/** Days of a clause, as numbers in their order. */
function daysOf({ tokens }: Clause): readonly { readonly day: number; readonly isLast: boolean }[] {
  const found: { day: number; isLast: boolean }[] = [];
  const cursor = new Cursor(tokens);
  for (let at = 0; at < tokens.length; at++) {
    cursor.backTo(at);
    const whole = takeDate(cursor);
    const part = whole === null ? takeYearless(cursor) : null;
    const day =
      whole?.from ?? (part === null || part.date === null ? null : part.month * monthSize + part.date);
    if (day === null) continue;
    const said = (from: number, to: number) =>
      tokens
        .slice(Math.max(0, from), to)
        .map((token) => token.text)
        .join(' ');
    const isLast =
      last.test(said(at - wordsBefore, at)) || isNamedLast.test(said(cursor.at, cursor.at + wordsBefore));
    found.push({ day, isLast });
    at = cursor.at - 1;
  }
  return found;
}
