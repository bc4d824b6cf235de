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

/** Units by the words for them; one of a kind is not turned into another. */
const units: ReadonlyMap<string, string> = new Map(
  [
    'USD:$|usd|dollar|dollars|bucks|us dollars',
    'EUR:€|eur|euro|euros',
    'GBP:£|gbp|pounds sterling|quid',
    'JPY:¥|jpy|yen',
    'CHF:chf|francs|swiss francs',
    'CAD:cad|canadian dollars',
    'AUD:aud|australian dollars',
    'INR:inr|rupees',
    '%:%|percent|per cent',
    'kg:kg|kilogram|kilograms|kilos|kilo',
    'g:g|gram|grams',
    'lb:lb|lbs',
    'km:km|kilometer|kilometers|kilometre|kilometres',
    'm:m|meter|meters|metre|metres',
    'cm:cm|centimeters|centimetres',
    'mile:mile|miles',
    'second:second|seconds|sec|secs',
    'minute:minute|minutes|min|mins',
    'hour:hour|hours|hrs|hr',
    'day:day|days',
    'week:week|weeks',
    'month:month|months',
    'year:year|years|years old',
    'degree:degree|degrees|°c|celsius|degrees celsius',
    'MB:mb|megabytes|megabyte',
    'GB:gb|gigabytes|gigabyte',
  ].flatMap((line) => {
    const [unit = '', names = ''] = line.split(':');
    return names.split('|').map((name) => [name, unit] as const);
  }),
);
const unitNames = new Phrases(units.keys());
const numberNames = new Phrases(numberWords.keys());
const scaleNames = new Phrases(scales.keys());
const article = phrases('a');
const pointed = /^\d+(?:\.\d+)?$/;
const grouped = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
/** As most of Europe writes amounts. Three digits behind one comma or point are a group in one place and a part in another. */
const european = /^\d{1,3}(?:\.\d{3}){1,}(?:,\d{1,2})$|^\d+,\d{1,2}$/;

/** Value of a number as it was written; null where it is none, or may be read in two ways. */
export function toNumber(text: string): number | null {
  const suffix = /[km]$/i.exec(text)?.[0].toLowerCase();
  const plain = suffix === undefined ? text : text.slice(0, -1);
  const scale = suffix === 'k' ? 1e3 : suffix === 'm' ? 1e6 : 1;
  if (grouped.test(plain)) return Number(plain.replaceAll(',', '')) * scale;
  if (pointed.test(plain)) return Number(plain) * scale;
  if (european.test(plain)) return Number(plain.replaceAll('.', '').replace(',', '.')) * scale;
  return null;
}

/** Reads "100", "$1,000", "three", "two dozen", "5 kg", "20 percent"; null where no number comes next. */
export function takeQuantity(cursor: Cursor): Quantity | null {
  const start = cursor.at;
  const before = units.get(cursor.take(unitNames) ?? '') ?? null;
  const value = takeNumber(cursor);
  if (value === null) {
    cursor.backTo(start);
    return null;
  }
  return { value, unit: before ?? units.get(cursor.take(unitNames) ?? '') ?? null };
}

export function takeNumber(cursor: Cursor): number | null {
  const start = cursor.at;
  const digits = cursor.takeKind('number');
  const word = digits === null ? cursor.take(numberNames) : null;
  let value = digits === null ? (numberWords.get(word ?? '') ?? null) : toNumber(digits.text);
  if (digits === null && word === null && cursor.take(article) !== null) {
    // "a dozen", "a hundred"
    value = 1;
    const scale = cursor.take(scaleNames);
    if (scale !== null) return scales.get(scale) ?? null;
    value = null;
  }
  if (value === null) {
    cursor.backTo(start);
    return null;
  }
  const scale = scales.get(cursor.take(scaleNames) ?? '') ?? 1;
  return value * scale;
}

/** Whether two quantities can be compared: one without a unit is taken in that of the other. */
export function areComparable(a: Quantity, b: Quantity): boolean {
  return a.unit === null || b.unit === null || a.unit === b.unit;
}

/** Whether a number stands anywhere among the tokens. */
export function holdsNumber(tokens: readonly Token[]): boolean {
  return tokens.some(({ kind, text }) => kind === 'number' || numberWords.has(text) || scales.has(text));
}
