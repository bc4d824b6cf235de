import type { Token } from './asked.ts';
import { type Cursor, findFirst, Phrases } from './cursor.ts';
import {
  fallsIn,
  isAfter,
  isBefore,
  namesMonth,
  type Span,
  takeDate,
  takeYearless,
  type Yearless,
} from './day.ts';
import { holdsIn, holdsNumber, type Quantity, takeQuantity, valueIn } from './quantity.ts';
import { findComparison, isWithin, namesAge, type Range } from './range.ts';
import type { Reading } from './reading.ts';
import { countsOf, isUnset, quantityOf, readDates } from './structure/amounts.ts';
import type { Structure } from './structure/lookup.ts';
import { measuredIn } from './structure/measured.ts';
import { countInText, datesInText, quantityInText } from './text-numbers.ts';
import { type Verdict, verdict } from './verdict.ts';

const sure = 0.99;
/** A quantity without a unit was compared with one that has one. */
const otherForm = 0.9;
/** What has no day has not happened. */
const unset = 0.93;

/** "is the total more than 100", "are there at least three items", "is the date before 2026". */
export function readComparison(
  tokens: readonly Token[],
  structure: Structure | null,
  reading: Reading,
): Verdict | null {
  const isNumeric = holdsNumber(tokens) || namesAge(tokens);
  if (!isNumeric && !namesMonth(tokens)) {
    if (structure === null) return null;
    return compareTwo(tokens, structure) ?? compareTwoDays(tokens, structure);
  }
  const numbers = isNumeric ? findComparison(tokens) : null;
  if (numbers !== null) return compareNumbers(numbers.found, tokens, numbers.rest, structure, reading);
  const days = findFirst(tokens, takeDayComparison);
  if (days !== null) return compareDays(days.found, days.rest, structure, reading);
  return structure === null ? null : compareCount(tokens, structure);
}

const higher = new Set(['more', 'greater', 'higher', 'larger', 'bigger', 'longer', 'heavier', 'older']);
const lower = new Set(['less', 'fewer', 'lower', 'smaller', 'shorter', 'lighter', 'younger']);

/** "are there more sopranos than altos", of two figures of a structure. */
function compareTwo(tokens: readonly Token[], structure: Structure): Verdict | null {
  const than = tokens.findIndex(({ text }) => text === 'than');
  const word = tokens.findIndex(({ text }, at) => at < than && (higher.has(text) || lower.has(text)));
  if (word < 0) return null;
  const first = quantityOf(
    tokens.filter((_, at) => at < than && at !== word),
    structure,
  );
  const second = quantityOf(tokens.slice(than + 1), structure);
  const value = first === null || second === null ? null : valueIn(first, second.unit);
  if (value === null || second === null) return null;
  return verdict(higher.has(tokens[word]?.text ?? '') ? value > second.value : value < second.value, sure);
}

/** "was it delivered after the promised date", of two days of a structure. */
function compareTwoDays(tokens: readonly Token[], structure: Structure): Verdict | null {
  const named = findFirst(tokens, (cursor) => {
    const order = orders.get(cursor.take(orderNames) ?? '');
    return order === 'before' || order === 'after' ? { order, at: cursor.at } : null;
  });
  if (named === null) return null;
  const { order, at } = named.found;
  const split = named.rest.length - (tokens.length - at);
  const plain = (some: readonly Token[]) => some.filter(({ text }) => !daily.has(text));
  const [own, ...others] = readDates(plain(named.rest.slice(0, split)), structure);
  const [day, ...more] = readDates(plain(named.rest.slice(split)), structure);
  if (own === undefined || day === undefined || others.length > 0 || more.length > 0) return null;
  if (!isDecided(own, day) || (own.from === day.from && own.to === day.to)) return null;
  return verdict(order === 'before' ? isBefore(own, day) : isAfter(own, day), sure);
}

/** What a day is called beside its name: "the promised date". */
const daily = new Set(['date', 'day', 'time', 'deadline']);

const counting = new Set(['there', 'have', 'has', 'contain', 'contains', 'include', 'includes']);

/** "are there five items": more of them are five as well, and are not. */
function compareCount(tokens: readonly Token[], structure: Structure): Verdict | null {
  if (!tokens.some(({ text }) => counting.has(text))) return null;
  const asked = findFirst(tokens, takeQuantity);
  if (asked === null || asked.found.unit !== null) return null;
  const counts = countsOf(asked.rest, structure);
  if (counts.length === 0 || !counts.every((count) => count <= asked.found.value)) return null;
  const holds = counts.every((count) => count === asked.found.value);
  return holds || counts.every((count) => count < asked.found.value) ? verdict(holds, sure) : null;
}

function compareNumbers(
  range: Range,
  tokens: readonly Token[],
  rest: readonly Token[],
  structure: Structure | null,
  reading: Reading,
): Verdict | null {
  if (structure === null) {
    const counted = range.unit === null ? countInText(rest, reading) : null;
    if (counted !== null) return verdict(isWithin(counted.value, range), counted.certainty);
    const inText = quantityInText(rest, range, reading);
    if (inText === null || (inText.isRough === true && isNear(inText.value, range))) return null;
    return verdict(isWithin(inText.value, range), inText.certainty);
  }
  const quantity = quantityOf(rest, structure);
  // "40 percent of the lessons" are a part of them, and a figure of lessons is none.
  if (quantity !== null && (quantity.unit === '%' || range.unit !== '%' || !asksPart(tokens))) {
    const holds = holdsFor(quantity, range);
    if (holds === null) return null;
    return verdict(holds, range.unit === null || quantity.unit !== null ? sure : otherForm);
  }
  const counts = range.unit === null ? countsOf(rest, structure) : [];
  const [holds, ...others] = new Set(counts.map((count) => isWithin(count, range)));
  if (holds !== undefined) return others.length > 0 ? null : verdict(holds, sure);
  return measured(range, tokens, rest, structure);
}

const asksPart = (tokens: readonly Token[]): boolean =>
  tokens.some(({ text }, at) => /^(?:%|percent|cent)$/.test(text) && tokens[at + 1]?.text === 'of');

/** "Almost two hours" are more than one, and may be more than two or less. */
const isNear = (value: number, { from, to }: Range): boolean =>
  [from, to].some((end) => Number.isFinite(end) && Math.abs(value - end) <= Math.abs(end) / 4);

/** Of a figure that the question measures and does not name: "does it cost more than 20 euros". */
function measured(
  range: Range,
  tokens: readonly Token[],
  rest: readonly Token[],
  structure: Structure,
): Verdict | null {
  const found = measuredIn(tokens, rest, range, structure);
  const holds = found === null ? null : holdsFor(found.quantity, range);
  return found === null || holds === null ? null : verdict(holds, found.certainty);
}

function holdsFor(quantity: Quantity, range: Range): boolean | null {
  const test = (value: number) => isWithin(value, range);
  if (range.unit !== '%') return holdsIn(quantity, range.unit, test);
  const share = percentOf(quantity);
  return share === null ? null : test(share);
}

/** A share is kept as 0.93 or as 93; of 1 nobody can say which. */
function percentOf({ value, unit }: Quantity): number | null {
  if (unit === '%') return value;
  if (unit !== null || value === 1) return null;
  return Math.abs(value) < 1 ? Number((value * 100).toPrecision(12)) : value;
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
  ['during', 'on'],
]);
const orderNames = new Phrases(orders.keys());

function takeDayComparison(cursor: Cursor): DayComparison | null {
  const start = cursor.at;
  const order = orders.get(cursor.take(orderNames) ?? '');
  const day =
    order === undefined ? null : (takeDate(cursor) ?? (order === 'on' ? takeYearless(cursor) : null));
  if (order !== undefined && day !== null) return { order, day };
  cursor.backTo(start);
  return null;
}

interface DayComparison {
  readonly order: Order;
  readonly day: Span | Yearless;
}

function compareDays(
  { order, day }: DayComparison,
  rest: readonly Token[],
  structure: Structure | null,
  reading: Reading,
): Verdict | null {
  if (structure !== null && isUnset(rest, structure)) return verdict(false, unset);
  const [own, ...others] = structure === null ? datesInText(rest, reading) : readDates(rest, structure);
  if (own === undefined) return null;
  const certainty = structure === null ? 0.93 : sure;
  if (order === 'on') {
    const falls = new Set(
      [own, ...others].map((one) => ('month' in day ? fallsIn(one, day) : isIn(one, day))),
    );
    return falls.has(null) ? null : verdict(falls.has(true), certainty);
  }
  // Of a list of days some may be earlier, and others later.
  if (others.length > 0 || 'month' in day) return null;
  if (order === 'before') return isDecided(own, day) ? verdict(isBefore(own, day), certainty) : null;
  if (order === 'after') return isDecided(own, day) ? verdict(isAfter(own, day), certainty) : null;
  return verdict(own.from >= day.from, certainty);
}

const isIn = (own: Span, day: Span): boolean => own.from >= day.from && own.to <= day.to;

/** A day lies in a year, and so neither before nor after it; a year that holds the day may be either. */
function isDecided(own: Span, day: Span): boolean {
  return own.to - own.from <= day.to - day.from || isBefore(own, day) || isAfter(own, day);
}
