import { type Token, tokensOf } from './asked.ts';
import { Cursor, findFirst, type Phrases, phrases } from './cursor.ts';
import { type Quantity, takeNumber, takeQuantity } from './quantity.ts';

/** Numbers from one to another. */
export interface Range {
  readonly from: number;
  readonly to: number;
  /** Whether the ends belong to it. */
  readonly hasFrom: boolean;
  readonly hasTo: boolean;
  readonly unit: string | null;
  /** How old somebody or something is. */
  readonly isAge: boolean;
}

const above = (from: number, unit: string | null, hasFrom: boolean): Range => ({
  from,
  to: Infinity,
  hasFrom,
  hasTo: false,
  unit,
  isAge: false,
});
const below = (to: number, unit: string | null, hasTo: boolean): Range => ({
  from: -Infinity,
  to,
  hasFrom: false,
  hasTo,
  unit,
  isAge: false,
});
const from = ({ value, unit }: Quantity, to: number = value): Range => ({
  from: value,
  to,
  hasFrom: true,
  hasTo: true,
  unit,
  isAge: false,
});

export const isWithin = (value: number, { from: low, to: high, hasFrom, hasTo }: Range): boolean =>
  (hasFrom ? value >= low : value > low) && (hasTo ? value <= high : value < high);

const more = phrases(
  `more than|greater than|higher than|larger than|bigger than|over|above|exceeding|longer than|older than|heavier
  than|exceed|exceeds|>|in excess of|taller than|hotter than|warmer than|pricier than|more expensive than`,
);
/** Without a unit they ask for years. */
const ofAge = new Set(['older than', 'younger than']);
const least = phrases(
  `at least|no less than|no fewer than|not less than|not fewer than|a minimum of|minimum of|>=|greater than or equal
  to|more than or equal to|equal to or more than|equal to or greater than`,
);
const less = phrases(
  'less than|fewer than|lower than|smaller than|under|below|shorter than|younger than|lighter than|<|cheaper than|colder than|cooler than|less expensive than',
);
const most = phrases(
  `at most|no more than|not more than|up to|a maximum of|maximum of|<=|less than or equal to|fewer than or equal to|no
  greater than|not over|equal to or less than`,
);
const equal = phrases('exactly|equal to|equals|equal|precisely|=');
const between = phrases('between');
const and = phrases('and|to');
const orMore = phrases('or more|or higher|or above|or over|plus|and above|and more|or greater');
const grown = phrases('an adult|adult|adults|of age|of legal age|of full age|grown up');
const minor = phrases('a minor|minors|underage|under age');
const orLess = phrases('or less|or fewer|or lower|or below|or under|and below');
const or = phrases('or|to');

/** Reads "more than 100", "at least three", "between 2 and 5", "3 or more"; null where no comparison comes next. */
export function takeComparison(cursor: Cursor): Range | null {
  const start = cursor.at;
  const range = compared(cursor) ?? null;
  if (range === null) cursor.backTo(start);
  return range;
}

/** Whether a comparison is one of age without a number: "is she an adult". */
export const namesAge = (tokens: readonly Token[]): boolean => grown.areIn(tokens) || minor.areIn(tokens);

/** The first comparison among tokens, and what stands around it. */
export const findComparison = (tokens: readonly Token[]) => findFirst(tokens, takeComparison);

function compared(cursor: Cursor): Range | null {
  // Those of several words first: "more than or equal to" begins like "more than".
  for (const [words, make] of comparisons) {
    const word = cursor.take(words);
    if (word === null) continue;
    const quantity = takeQuantity(cursor);
    if (quantity === null) return null;
    const range = make(quantity);
    return ofAge.has(word) ? { ...range, unit: range.unit ?? 'year', isAge: true } : range;
  }
  if (cursor.take(between) !== null) {
    const low = takeQuantity(cursor);
    if (low === null || cursor.take(and) === null) return null;
    const high = takeQuantity(cursor);
    if (high === null || high.value < low.value) return null;
    return from({ value: low.value, unit: high.unit ?? low.unit }, high.value);
  }
  if (cursor.take(grown) !== null) return { ...above(18, 'year', true), isAge: true };
  if (cursor.take(minor) !== null) return { ...below(18, 'year', false), isAge: true };
  const quantity = takeQuantity(cursor);
  if (quantity === null) return null;
  if (cursor.take(orMore) !== null) return above(quantity.value, quantity.unit, true);
  return cursor.take(orLess) !== null ? below(quantity.value, quantity.unit, true) : null;
}

const comparisons: readonly (readonly [Phrases, (quantity: Quantity) => Range])[] = [
  [least, ({ value, unit }) => above(value, unit, true)],
  [most, ({ value, unit }) => below(value, unit, true)],
  [more, ({ value, unit }) => above(value, unit, false)],
  [less, ({ value, unit }) => below(value, unit, false)],
  [equal, (quantity) => from(quantity)],
];

const nothing = phrases('none|no|nothing|zero|not any');
const unitWordsMax = 2;

/** Range that an option or a level names: "none", "3", "2-5", "one or two", "more than 5 items"; null for any other text. */
export function rangeOf(text: string): Range | null {
  const dash = /^\s*(\d+)\s?[-–]\s?(\d+)\b/.exec(text);
  if (dash !== null) {
    const [low, high] = [Number(dash[1]), Number(dash[2])];
    return low < high && endsSoon(tokensOf(text.slice(dash[0].length)))
      ? from({ value: low, unit: null }, high)
      : null;
  }
  const tokens = tokensOf(
    text
      .replace(/(\d) ?\+/, '$1 or more')
      .replaceAll(/[≥]/g, '>=')
      .replaceAll(/[≤]/g, '<='),
  );
  const cursor = new Cursor(tokens);
  const range = takeComparison(cursor) ?? takeList(cursor);
  return range !== null && endsSoon(tokens.slice(cursor.at)) ? range : null;
}

function takeList(cursor: Cursor): Range | null {
  if (cursor.take(nothing) !== null) return from({ value: 0, unit: null });
  const low = takeQuantity(cursor);
  if (low === null) return null;
  if (cursor.take(or) === null) return from(low);
  const high = takeNumber(cursor);
  return high === null || high <= low.value ? null : from(low, high);
}

/** What is left is at most the name of what is counted. */
function endsSoon(tokens: readonly Token[]): boolean {
  return tokens.length <= unitWordsMax && tokens.every(({ kind }) => kind === 'word');
}
