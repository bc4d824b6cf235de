import { stem } from '../../../kernel/kit/stem.ts';
import { type Token, tokensOf } from './asked.ts';
import { Cursor, phrases } from './cursor.ts';
import { type Span, toSpan } from './day.ts';
import { dates } from './detectors/dates.ts';
import { matchesMax } from './detectors/detector.ts';
import {
  countWords,
  digits,
  emoji,
  exclamationMarks,
  hashtags,
  numbers,
  questionMarks,
} from './detectors/shape.ts';
import { isCurrency, isOneOf, isPeriod, type Quantity, takeQuantity, valueIn } from './quantity.ts';
import { takeComparison } from './range.ts';
import type { Reading } from './reading.ts';
import { thingNames, things } from './things.ts';
import { takeText } from './wording.ts';

interface Sure {
  readonly value: number;
  readonly certainty: number;
  /** "almost two hours" */
  readonly isRough?: boolean;
}

/** Longer texts hold many numbers, and which of them is meant is a matter of meaning. Unit: characters. */
const charsMax = 8_000;
/** "an hour and a half" and "two hours and ten minutes" are one time. */
const clauseEnds =
  /[.!?;:]\s|[\n,]\s?(?!\d)|\s(?:but|and(?! (?:an? (?:half|quarter)|[\p{L}\d]+ (?:second|minute|hour|day|week|month)s?)\b)|or|while|although|because)\s/u;
const denials = /\b(?:not|no|never|without|if|unless)\b|n['’]t\b/i;

const rough = /\b(?:almost|nearly|about|around|roughly|approximately|some|circa|over|under|just)\b|~/i;

/** What is said in one word here and in another there, where a number stands beside it. */
const inOneWord: ReadonlyMap<string, string> = new Map(
  'delayed late|delay late|behind late|hold wait|queue wait|took last|take last|takes last|taken last|lasting last'
    .split('|')
    .map((pair) => {
      const [word = '', common = ''] = pair.split(' ');
      return [word, common] as const;
    }),
);
const behind = new Set(['schedule', 'time']);

/** Stems of a clause in the words that questions are read in; "behind" the house nobody is late. */
function stemsOf(said: readonly Token[]): ReadonlySet<string> {
  const isMeant = (text: string, at: number) => text !== 'behind' || behind.has(said[at + 1]?.text ?? '');
  return new Set(
    said.flatMap(({ text }, at) => {
      const common = isMeant(text, at) ? inOneWord.get(text) : undefined;
      return common === undefined ? [stem(text)] : [stem(text), stem(common)];
    }),
  );
}

/** Words around a comparison that name no quantity. */
const frame = new Set(
  `a an the of 's in on at for to by is are was were be been being has have had does do did can will there it its this that
  their his her my our your cost costs contain contains include includes mention mentions mentioned customer user sender
  caller writer person they he she you many much how number amount value text message`.split(/\s+/),
);
/** Of what is asked of a price, and what a clause says that tells one. */
const costing = new Set('cost costs price priced worth charge charged pay pays paid'.split(' '));
/** Who has walked a dog for two years has not told its age. */
const aging = new Set('old older age aged yo'.split(' '));
/** What stands before a number that names something and counts nothing: "tooth 26". */
const numbered = new Set(
  `no nr number room platform gate floor step page line chapter section account order ticket invoice customer flat house
  tooth bus tram train question article day paragraph`.split(/\s+/),
);
/** Names that fit whatever one number a text has. */
const general = new Set(['number', 'value', 'amount', 'figure', 'sum', 'it']);

/** The one quantity of a text that stands beside the words of a question; null where there is none, or several. */
export function quantityInText(
  tokens: readonly Token[],
  { unit, isAge }: { readonly unit: string | null; readonly isAge: boolean },
  { text }: Reading,
): Sure | null {
  if (text.length > charsMax || tokens.length > 16) return null;
  const sought = [...new Set(tokens.map((token) => token.text).filter((word) => !frame.has(word)))].map(
    (word) => stem(inOneWord.get(word) ?? word),
  );
  const isGeneral = sought.length === 0 && tokens.some((token) => general.has(token.text));
  if (sought.length === 0 && !isGeneral) return null;
  const asksPrice = tokens.some((token) => costing.has(token.text));
  const isCount = tokens.some((token) => token.text === 'there');
  const found = new Map<number, Quantity>();
  let isRough = false;
  for (const clause of text.split(clauseEnds)) {
    const said = tokensOf(clause);
    const quantities = quantitiesOf(said, unit !== null);
    if (quantities.length === 0) continue;
    const stems = stemsOf(said);
    if (!sought.every((word) => stems.has(word))) continue;
    if (isAge && !said.some((token) => aging.has(token.text))) continue;
    // Two numbers, or one that is denied or supposed, or "in under three hours": what the clause says needs to be understood.
    if (!isGeneral && (quantities.length > 1 || denials.test(clause) || comparesIn(said))) return null;
    const isPrice = !asksPrice || said.some((token) => costing.has(token.text));
    isRough ||= rough.test(clause);
    for (const quantity of quantities) {
      // "The amount is below 50 euros" asks for the one number of a text that is in euros.
      if (isGeneral && unit !== null && (quantity.unit === null || valueIn(quantity, unit) === null))
        continue;
      if (!isGeneral && !maySay(quantity.unit, unit, isCount)) continue;
      if (isPrice || isCurrency(quantity.unit)) found.set(quantity.value, quantity);
    }
  }
  const [[, only] = [], ...more] = found;
  const value = only === undefined || more.length > 0 ? null : valueIn(only, unit);
  return value === null ? null : { value, certainty: unit === only?.unit ? 0.93 : 0.85, isRough };
}

/**
 * Whether a quantity with one unit may answer what is asked in another, where either may be left out. Years and shares are
 * said as such: "the man for the boiler comes between 8 and 10" tells no age, and "5 percent of the loan" no loan.
 */
function maySay(own: string | null, asked: string | null, isCount: boolean): boolean {
  if (own === asked) return true;
  if (own === null) return !isPeriod(asked) && asked !== '%';
  return asked !== null || !(isCount || isPeriod(own) || own === '%');
}

function comparesIn(tokens: readonly Token[]): boolean {
  const cursor = new Cursor(tokens);
  return tokens.some((_, at) => {
    cursor.backTo(at);
    return takeComparison(cursor) !== null;
  });
}

/** With `hasUnit` also "a week", which is rarely counted without one. */
function quantitiesOf(tokens: readonly Token[], hasUnit: boolean): readonly Quantity[] {
  const quantities: Quantity[] = [];
  const cursor = new Cursor(tokens);
  for (let at = 0; at < tokens.length; at++) {
    cursor.backTo(at);
    // "one of them", "no one"
    if (tokens[at]?.text === 'one' || (isOneOf(tokens.slice(at, at + 2)) && !hasUnit)) continue;
    if (tokens[at]?.text === 'a' && !isOneOf(tokens.slice(at, at + 2))) continue;
    const quantity = takeQuantity(cursor);
    if (quantity === null) continue;
    const isName = numbered.has(tokens[at - 1]?.text ?? '') || /^0\d/.test(tokens[at]?.text ?? '');
    if (!isName || quantity.unit !== null) quantities.push(quantity);
    at = cursor.at - 1;
  }
  return quantities;
}

const be = phrases('is|are|was|were|does|do|has|have');
const there = phrases('there');
const holding = phrases('have|has|contain|contains|include|includes|in|long');
const within = phrases('in|within|of|does');
const wordUnits = phrases('word|words|words long');
const characterUnits = phrases('character|characters|letters and spaces|characters long');
const lineUnits = phrases('line|lines|lines of text');

/** How many words, characters, lines or things of a form a text has; null where something else is counted. */
export function countInText(tokens: readonly Token[], reading: Reading): Sure | null {
  const cursor = new Cursor(tokens);
  cursor.take(be);
  if (cursor.take(there) !== null) cursor.take(be);
  const start = cursor.at;
  let counted = countUnit(cursor, reading);
  if (counted === null) {
    // "e-mail" may begin both the text and what is counted in it.
    cursor.backTo(start);
    takeText(cursor);
    cursor.take(be);
    cursor.take(holding);
    counted = countUnit(cursor, reading);
  }
  if (counted === null) return null;
  if (cursor.take(be) !== null) cursor.take(there);
  if (cursor.isDone) return counted;
  cursor.take(within);
  if (!takeText(cursor)) return null;
  cursor.take(holding);
  return cursor.isDone ? counted : null;
}

function countUnit(cursor: Cursor, reading: Reading): Sure | null {
  const { text } = reading;
  if (cursor.take(wordUnits) !== null) {
    const value = countWords(text);
    return value === null ? null : { value, certainty: 0.97 };
  }
  if (cursor.take(characterUnits) !== null)
    return { value: text.replaceAll(pair, '_').length, certainty: 0.98 };
  if (cursor.take(lineUnits) !== null)
    return { value: text.replace(/\n$/, '').split('\n').length, certainty: 0.98 };
  const thing = things.get(cursor.take(thingNames) ?? '');
  if (thing === undefined) return null;
  const found = reading.find(thing.detector);
  if (found.length >= matchesMax) return null;
  const distinct = new Set(found.map((one) => one.text.toLowerCase()));
  const certainties = found.map(({ certainty }) => certainty);
  const value = countedEach.has(thing.detector) ? found.length : distinct.size;
  return { value, certainty: Math.min(0.97, thing.detector.absent, ...certainties) };
}

/** Of an address that is written twice there is one; of a mark there are two. */
const countedEach = new Set([digits, emoji, exclamationMarks, hashtags, numbers, questionMarks]);
/** Two units of UTF-16 that are one character. */
const pair = /[\ud800-\udbff][\udc00-\udfff]/g;

const theDate = phrases('date|the date|a date|the date mentioned|the date given|day|the day');

/** The one date of a text, where a question asks for "the date"; else none. */
export function datesInText(tokens: readonly Token[], reading: Reading): readonly Span[] {
  const cursor = new Cursor(tokens);
  cursor.take(be);
  if (cursor.take(theDate) === null) return [];
  if (cursor.take(within) !== null && !takeText(cursor)) return [];
  cursor.take(be);
  if (!cursor.isDone) return [];
  const found = new Set(
    reading.find(dates).flatMap(({ text, certainty }) => (certainty > 0.5 ? [text] : [])),
  );
  const [only, ...more] = found;
  const span = only === undefined || more.length > 0 ? null : toSpan(only);
  return span === null ? [] : [span];
}
