import type { Token } from './asked.ts';
import { type Cursor, Phrases, phrases } from './cursor.ts';

/** A number with what it counts or measures; null where it has no unit. */
export interface Quantity {
  readonly value: number;
  /** Code of a currency, `%`, or a unit in one form. */
  readonly unit: string | null;
}

const ones =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty';
const numberWords: ReadonlyMap<string, number> = new Map([
  ...ones.split(' ').map((word, value) => [word, value] as const),
  ...'thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, at) => [word, 30 + 10 * at] as const),
]);
const scales: ReadonlyMap<string, number> = new Map([
  ['dozen', 12],
  ['hundred', 100],
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
]);

/** Units by the words for them. */
const units: ReadonlyMap<string, string> = new Map(
  [
    'USD:$|usd|dollar|dollars|bucks|us dollars',
    'EUR:€|eur|euro|euros',
    'GBP:£|gbp|pounds sterling|quid',
    'JPY:¥|jpy|yen',
    'CHF:chf|francs|swiss francs',
    'CAD:cad|canadian dollars',
    'AUD:aud|australian dollars',
    'INR:₹|inr|rupees',
    '%:%|percent|per cent',
    'kg:kg|kilogram|kilograms|kilos|kilo',
    'g:g|gram|grams',
    'lb:lb|lbs',
    // A weight, or money of Britain.
    'pound:pound|pounds',
    't:tonne|tonnes|metric ton|metric tons',
    'km:km|kilometer|kilometers|kilometre|kilometres',
    'm:m|meter|meters|metre|metres',
    'cm:cm|centimeters|centimetres',
    'mm:mm|millimeters|millimetres',
    'mile:mile|miles',
    'ms:ms|millisecond|milliseconds|msec',
    'second:second|seconds|sec|secs',
    'minute:minute|minutes|min|mins',
    'hour:hour|hours|hrs|hr|h',
    'day:day|days',
    'week:week|weeks',
    'fortnight:fortnight|fortnights',
    'month:month|months',
    'year:year|years|years old',
    // Of which scale, a key or a place may say.
    'degree:degree|degrees',
    'celsius:°c|celsius|degrees celsius|degree celsius',
    'fahrenheit:°f|fahrenheit|degrees fahrenheit|degree fahrenheit',
    'B:byte|bytes',
    'KB:kb|kilobytes|kilobyte',
    'MB:mb|megabytes|megabyte',
    'GB:gb|gigabytes|gigabyte',
    'TB:tb|terabytes|terabyte',
  ].flatMap((line) => {
    const [unit = '', names = ''] = line.split(':');
    return names.split('|').map((name) => [name, unit] as const);
  }),
);
const unitNames = new Phrases(units.keys());
/** Units that measure the same, each in the one that comes first. Currencies change, and months have 28 to 31 days. */
const measures: readonly Readonly<Record<string, number>>[] = [
  { second: 1, ms: 0.001, minute: 60, hour: 3_600, day: 86_400, week: 604_800, fortnight: 1_209_600 },
  { month: 1, year: 12 },
  { g: 1, kg: 1_000, t: 1e6, lb: 453.592_37, pound: 453.592_37 },
  { m: 1, mm: 0.001, cm: 0.01, km: 1_000, mile: 1_609.344 },
  { GBP: 1, pound: 1 },
  { degree: 1, celsius: 1 },
  { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 },
];
const numberNames = new Phrases(numberWords.keys());
const scaleNames = new Phrases(scales.keys());
const minus = phrases('-|−|–|minus');
const article = phrases('a');
const anArticle = phrases('a|an');
const periods: ReadonlySet<string> = new Set([
  'second',
  'minute',
  'hour',
  'day',
  'week',
  'fortnight',
  'month',
  'year',
]);
/** Whether a unit is one of time. */
export const isPeriod = (unit: string | null): boolean => periods.has(unit ?? '');
/** Whether a unit is one of money. */
export const isCurrency = (unit: string | null): boolean => /^[A-Z]{3}$/.test(unit ?? '') || unit === 'pound';
const pointed = /^\d+(?:\.\d+)?$/;
const grouped = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
/** As most of Europe writes amounts. Three digits behind one comma or point are a group in one place and a part in another. */
const european = /^\d{1,3}(?:\.\d{3}){1,}(?:,\d{1,2})$|^\d+,\d{1,2}$/;

/** As India writes lakhs, and what can be no part of one. */
const lakhs = /^\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?$/;
const pointGroups = /^\d{1,3}(?:\.\d{3}){2,}$/;

/** Value of a number as it was written; null where it is none, or may be read in two ways. */
function toNumber(written: string): number | null {
  const text = written.replaceAll(/['’]/g, '');
  const suffix = /[km]$/i.exec(text)?.[0].toLowerCase();
  const plain = suffix === undefined ? text : text.slice(0, -1);
  const scale = suffix === 'k' ? 1e3 : suffix === 'm' ? 1e6 : 1;
  if (grouped.test(plain) || lakhs.test(plain)) return Number(plain.replaceAll(',', '')) * scale;
  if (pointGroups.test(plain)) return Number(plain.replaceAll('.', '')) * scale;
  if (pointed.test(plain)) return Number(plain) * scale;
  if (european.test(plain)) return Number(plain.replaceAll('.', '').replace(',', '.')) * scale;
  return null;
}

/**
 * Reads "100", "$1,000", "-$5", "three", "two dozen", "5 kg", "20 percent", "half an hour", "an hour and a half", "2 hours
 * 15 minutes"; null where no number comes next.
 */
export function takeQuantity(cursor: Cursor): Quantity | null {
  const start = cursor.at;
  const sign = takeSign(cursor);
  const before = units.get(cursor.take(unitNames) ?? '') ?? null;
  const value = takeNumber(cursor);
  if (value === null) {
    cursor.backTo(start);
    const period = takePeriod(cursor);
    return period && goOn(period, cursor);
  }
  if (before !== null) return { value: sign * value, unit: before };
  const part = takePart(cursor, value);
  if (part !== null) return part;
  const unit = takeUnit(cursor);
  return goOn({ value: sign * value, unit }, cursor);
}

/** "8 °C" has lost its sign when it comes here. */
function takeUnit(cursor: Cursor): string | null {
  const named = units.get(cursor.take(unitNames) ?? '');
  if (named !== undefined) return named;
  const start = cursor.at;
  const letter = cursor.takeKind('word')?.raw;
  if (letter === 'C' || letter === 'F') return letter === 'C' ? 'celsius' : 'fahrenheit';
  cursor.backTo(start);
  return null;
}

const takeSign = (cursor: Cursor): 1 | -1 => (cursor.take(minus) === null ? 1 : -1);

const half = phrases('half');
const quarters = phrases('quarter of|quarters of');
const andPart = phrases('and a half|and a quarter');
const and = phrases('and');

/** "a week", "half an hour", "quarter of an hour". */
function takePeriod(cursor: Cursor): Quantity | null {
  const start = cursor.at;
  const share = cursor.take(half) !== null ? 0.5 : cursor.take(quarters) === null ? 1 : 0.25;
  const unit = cursor.take(anArticle) === null ? null : (units.get(cursor.take(unitNames) ?? '') ?? null);
  if (unit !== null && periods.has(unit)) return { value: share, unit };
  cursor.backTo(start);
  return null;
}

/** What follows a number: "(three) quarters of an hour", "(two) and a half hours". */
function takePart(cursor: Cursor, value: number): Quantity | null {
  const start = cursor.at;
  if (cursor.take(quarters) !== null && cursor.take(anArticle) !== null) {
    const unit = units.get(cursor.take(unitNames) ?? '') ?? null;
    if (isPeriod(unit)) return { value: value / 4, unit };
  }
  cursor.backTo(start);
  const more = cursor.take(andPart);
  const unit = more === null ? null : (units.get(cursor.take(unitNames) ?? '') ?? null);
  if (more !== null && unit !== null) return { value: value + shareOf(more), unit };
  cursor.backTo(start);
  return null;
}

const shareOf = (more: string): number => (more.endsWith('half') ? 0.5 : 0.25);

/** What follows a time: "(an hour) and a half", "(2 hours) 15 minutes", "(a year) and two months". */
function goOn(first: Quantity, cursor: Cursor): Quantity {
  if (!isPeriod(first.unit)) return first;
  const start = cursor.at;
  const more = cursor.take(andPart);
  if (more !== null) return { value: first.value + shareOf(more), unit: first.unit };
  cursor.take(and);
  const value = takeNumber(cursor);
  const unit = value === null ? null : takeUnit(cursor);
  const part = value === null || unit === null ? null : valueIn({ value, unit }, first.unit);
  // "between 1 hour and 90 minutes" are two.
  if (part !== null && unit !== first.unit && part > 0 && part < 1)
    return { value: first.value + part, unit: first.unit };
  cursor.backTo(start);
  return first;
}

export function takeNumber(cursor: Cursor): number | null {
  const start = cursor.at;
  const sign = takeSign(cursor);
  const digits = cursor.takeKind('number');
  const word = digits === null ? cursor.take(numberNames) : null;
  let value = digits === null ? (numberWords.get(word ?? '') ?? null) : toNumber(digits.text);
  if (digits === null && word === null && cursor.take(article) !== null) {
    // "a dozen", "a hundred"
    value = 1;
    const scale = cursor.take(scaleNames);
    if (scale !== null) return sign * (scales.get(scale) ?? 1);
    value = null;
  }
  if (value === null) {
    cursor.backTo(start);
    return null;
  }
  const scale = scales.get(cursor.take(scaleNames) ?? '') ?? 1;
  return sign * value * scale;
}

/** Value of a quantity in a unit; where one has none, it is taken in that of the other. Null where they measure something else. */
export function valueIn({ value, unit: own }: Quantity, unit: string | null): number | null {
  if (own === null || unit === null || own === unit) return value;
  if (own === 'fahrenheit' && unit === 'celsius') return Number((((value - 32) * 5) / 9).toPrecision(12));
  if (own === 'celsius' && unit === 'fahrenheit') return Number(((value * 9) / 5 + 32).toPrecision(12));
  const measure = measures.find((known) => own in known && unit in known);
  // Rounded off, so that 60 minutes are no less than an hour.
  return measure === undefined
    ? null
    : Number(((value * (measure[own] ?? 0)) / (measure[unit] ?? 1)).toPrecision(12));
}

const binary: ReadonlyMap<string, number> = new Map([
  ['B', 0],
  ['KB', 1],
  ['MB', 2],
  ['GB', 3],
  ['TB', 4],
]);

/**
 * Whether something holds for a quantity in a unit; null where it measures something else, or where a megabyte of
 * 1,000 kilobytes gives another answer than one of 1,024.
 */
export function holdsIn(
  quantity: Quantity,
  unit: string | null,
  test: (value: number) => boolean,
): boolean | null {
  const value = valueIn(quantity, unit);
  if (value === null) return null;
  const [own, asked] = [binary.get(quantity.unit ?? ''), binary.get(unit ?? '')];
  const other = own === undefined || asked === undefined ? value : quantity.value * 1_024 ** (own - asked);
  return test(value) === test(other) ? test(value) : null;
}

/** Last words of keys that name a unit, as in `latency_ms`, and are no other word: "min" is rather the least. */
export const keyUnits: ReadonlyMap<string, string> = new Map(
  'ms msec sec secs seconds mins minutes hrs hours days weeks months years kg kilos km cm mm bytes kb mb gb tb usd eur gbp percent celsius fahrenheit'
    .split(' ')
    .flatMap((word) => [[word, units.get(word) ?? '']] as const)
    .concat([
      ['s', 'second'],
      ['pct', '%'],
    ]),
);

/** Whether a number stands anywhere among the tokens, or "a week". */
export function holdsNumber(tokens: readonly Token[]): boolean {
  return tokens.some(
    ({ kind, text }, at) =>
      kind === 'number' ||
      numberWords.has(text) ||
      scales.has(text) ||
      isOneOf(tokens.slice(at, at + 2)) ||
      (text === 'half' && isOneOf(tokens.slice(at + 1, at + 3))),
  );
}

/** "a week", "an hour". */
export function isOneOf([article, unit]: readonly (Token | undefined)[]): boolean {
  return (article?.text === 'a' || article?.text === 'an') && periods.has(units.get(unit?.text ?? '') ?? '');
}
