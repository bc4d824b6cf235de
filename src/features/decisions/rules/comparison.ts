import type { Token } from './asked.ts';
import { Cursor, Phrases } from './cursor.ts';
import { isAfter, isBefore, type Span, takeDate, toSpan } from './day.ts';
import { areComparable, holdsNumber } from './quantity.ts';
import { isWithin, type Range, takeComparison } from './range.ts';
import type { Reading } from './reading.ts';
import { countOf, quantityOf, readValue } from './structure/amounts.ts';
import type { Structure } from './structure/lookup.ts';
import { countInText, dateInText, quantityInText } from './text-numbers.ts';
import { type Verdict, verdict } from './verdict.ts';

const sure = 0.99;
/** A quantity without a unit was compared with one that has one. */
const otherForm = 0.9;

/** "is the total more than 100", "are there at least three items", "is the date before 2026". */
export function readComparison(
  tokens: readonly Token[],
  structure: Structure | null,
  reading: Reading,
): Verdict | null {
  if (!holdsNumber(tokens)) return null;
  const numbers = findFirst(tokens, takeComparison);
  if (numbers !== null) return compareNumbers(numbers.found, numbers.rest, structure, reading);
  const days = findFirst(tokens, takeDayComparison);
  return days === null ? null : compareDays(days.found, days.rest, structure, reading);
}

/** The first place at which something can be read, and the tokens before and after it. */
function findFirst<Found>(
  tokens: readonly Token[],
  take: (cursor: Cursor) => Found | null,
): { found: Found; rest: readonly Token[] } | null {
  const cursor = new Cursor(tokens);
  for (let at = 0; at < tokens.length; at++) {
    cursor.backTo(at);
    const found = take(cursor);
    if (found !== null) return { found, rest: [...tokens.slice(0, at), ...tokens.slice(cursor.at)] };
  }
  return null;
}

function compareNumbers(
  range: Range,
  rest: readonly Token[],
  structure: Structure | null,
  reading: Reading,
): Verdict | null {
  if (structure === null) {
    const counted = range.unit === null ? countInText(rest, reading) : null;
    if (counted !== null) return verdict(isWithin(counted.value, range), counted.certainty);
    const inText = quantityInText(rest, range.unit, reading);
    return inText === null ? null : verdict(isWithin(inText.value, range), inText.certainty);
  }
  const quantity = quantityOf(rest, structure);
  if (quantity !== null) {
    if (!areComparable(quantity, { value: 0, unit: range.unit })) return null;
    return verdict(
      isWithin(quantity.value, range),
      range.unit === null || quantity.unit !== null ? sure : otherForm,
    );
  }
  const count = range.unit === null ? countOf(rest, structure) : null;
  return count === null ? null : verdict(isWithin(count, range), sure);
}

type Order = 'before' | 'after' | 'since' | 'on';
const orders: ReadonlyMap<string, Order> = new Map([
  ['before', 'before'],
  ['earlier than', 'before'],
  ['prior to', 'before'],
  ['older than', 'before'],
  ['after', 'after'],
  ['later than', 'after'],
  ['newer than', 'after'],
  ['since', 'since'],
  ['on', 'on'],
  ['in', 'on'],
]);
const orderNames = new Phrases(orders.keys());

function takeDayComparison(cursor: Cursor): { order: Order; day: Span } | null {
  const start = cursor.at;
  const order = orders.get(cursor.take(orderNames) ?? '');
  const day = order === undefined ? null : takeDate(cursor);
  if (order !== undefined && day !== null) return { order, day };
  cursor.backTo(start);
  return null;
}

function compareDays(
  { order, day }: { order: Order; day: Span },
  rest: readonly Token[],
  structure: Structure | null,
  reading: Reading,
): Verdict | null {
  const value = structure === null ? null : readValue(rest, structure);
  const own =
    structure === null ? dateInText(rest, reading) : typeof value === 'string' ? toSpan(value) : null;
  if (own === null) return null;
  const certainty = structure === null ? 0.93 : sure;
  if (order === 'before') return isDecided(own, day) ? verdict(isBefore(own, day), certainty) : null;
  if (order === 'after') return isDecided(own, day) ? verdict(isAfter(own, day), certainty) : null;
  if (order === 'since') return verdict(own.from >= day.from, certainty);
  return verdict(own.from >= day.from && own.to <= day.to, certainty);
}

/** A day lies in a year, and so neither before nor after it; a year that holds the day may be either. */
function isDecided(own: Span, day: Span): boolean {
  return own.to - own.from <= day.to - day.from || isBefore(own, day) || isAfter(own, day);
}
