import { stem } from '../../../../kernel/kit/stem.ts';
import type { Token } from '../asked.ts';
import { isCurrency, isPeriod, type Quantity, valueIn } from '../quantity.ts';
import type { Reading } from '../reading.ts';
import { type Verdict, verdict } from '../verdict.ts';
import { type Clause, clauseOf, fillers, isOpen } from './clauses.ts';

const certainty = 0.92;
const charsMax = 600;

type Fits = (unit: string | null) => boolean;
const any: Fits = () => true;
const oneOf = (...units: readonly string[]): Fits => {
  const known = new Set(units);
  return (unit) => known.has(unit ?? '');
};
const isCurrencyOrNone: Fits = (unit) => unit === null || isCurrency(unit);
const length = oneOf('mm', 'cm', 'm', 'km', 'mile');
const weight = oneOf('g', 'kg', 't', 'lb', 'pound');

/** Words that compare, whether they ask for the greater one, and of which quantities. */
const comparatives: ReadonlyMap<string, readonly [isGreater: boolean, fits: Fits]> = new Map([
  ['more', [true, any]],
  ['higher', [true, any]],
  ['greater', [true, any]],
  ['larger', [true, (unit) => !isPeriod(unit)]],
  ['bigger', [true, (unit) => !isPeriod(unit)]],
  ['longer', [true, (unit) => isPeriod(unit) || length(unit)]],
  ['older', [true, oneOf('year', 'month', 'week', 'day')]],
  ['heavier', [true, weight]],
  ['taller', [true, length]],
  ['warmer', [true, oneOf('degree', 'celsius', 'fahrenheit')]],
  ['hotter', [true, oneOf('degree', 'celsius', 'fahrenheit')]],
  ['pricier', [true, isCurrency]],
  ['less', [false, any]],
  ['fewer', [false, (unit) => unit === null]],
  ['lower', [false, any]],
  ['smaller', [false, (unit) => !isPeriod(unit)]],
  ['shorter', [false, (unit) => isPeriod(unit) || length(unit)]],
  ['younger', [false, oneOf('year', 'month', 'week', 'day')]],
  ['lighter', [false, weight]],
  ['colder', [false, oneOf('degree', 'celsius', 'fahrenheit')]],
  ['cooler', [false, oneOf('degree', 'celsius', 'fahrenheit')]],
  ['cheaper', [false, isCurrency]],
]);
/** "more expensive", and no "more often". */
const adjectives: ReadonlyMap<string, Fits> = new Map([
  ['expensive', isCurrency],
  ['money', isCurrency],
  ['time', isPeriod],
]);
/** What both do that are compared. */
const verbs = new Set(
  'rise rose risen go went grow grew cost costs last lasts lasted weigh weighs take takes took get gets got earn earns have sell sold be pay more run ran one'.split(
    ' ',
  ),
);
/** What one does with quantities of one kind only. */
const measuring: ReadonlyMap<string, Fits> = new Map([
  ...'cost costs pay earn earns'.split(' ').map((verb) => [verb, isCurrencyOrNone] as const),
  ...'weigh weighs'.split(' ').map((verb) => [verb, weight] as const),
  ...'last lasts lasted take takes took'.split(' ').map((verb) => [verb, isPeriod] as const),
]);
/** What goes down by 5 percent has not gone up by them. */
const falling =
  /\b(?:fell|fallen|falls?|dropp?e?[ds]?|used to|down|decreas\w+|declin\w+|lost|lower\w*|less|fewer|cheaper|shorter|under|below|above|over|more|than|up to|at least|at most|between|from|about|around|almost|nearly|each|per)\b/i;
const clauseEnds = /[.!?;]\s|[.!?;]$|\n|,\s(?!\d)|\s(?:but|and|while|whereas)\s/;

/** "is Max taller than Anna", where a text tells a quantity of each and no other one. */
export function compareTwoInText(tokens: readonly Token[], { text }: Reading): Verdict | null {
  const than = tokens.findIndex((token) => token.text === 'than');
  const at = tokens.findIndex((token, place) => place < than && comparatives.has(token.text));
  const [isGreater, fits] = comparatives.get(tokens[at]?.text ?? '') ?? [];
  if (isGreater === undefined || fits === undefined || text.length > charsMax) return null;
  const between = tokens.slice(at + 1, than);
  const adjective = between.length === 1 ? adjectives.get(between[0]?.text ?? '') : undefined;
  const clauses = text.split(clauseEnds).map(clauseOf);
  const [first, second, ...more] = clauses.filter(({ quantities }) => quantities.length > 0);
  if (first === undefined || second === undefined || more.length > 0) return null;
  const [own, other] = [quantityOf(first), quantityOf(second)];
  if (own === null || other === null || falling.test(text)) return null;
  // "Anna is 1.72 m tall, Max 1.69": the second goes without.
  const unit = own.unit;
  if (unit === null && other.unit !== null) return null;
  if (!fits(unit) || adjective?.(unit) === false) return null;
  if (tokens.some((token) => measuring.get(token.text)?.(unit) === false)) return null;
  const [a, b] = [valueIn(own, unit), valueIn({ ...other, unit: other.unit ?? unit }, unit)];
  if (a === null || b === null) return null;
  // "more seats than": seats are what both have.
  const shared = adjective === undefined ? between : [];
  if (!shared.every(({ text: word }) => first.stems.has(stem(word)) || second.stems.has(stem(word))))
    return null;
  const left = sideOf(tokens.slice(0, at), first, second);
  const right = sideOf(tokens.slice(than + 1), first, second);
  if (left === null || right === null || left === right) return null;
  const [asked, against] = left === 'first' ? [a, b] : [b, a];
  return verdict(isGreater ? asked > against : asked < against, certainty);
}

/** The one quantity of a clause that nothing denies. */
function quantityOf({ text, quantities }: Clause): Quantity | null {
  const [only, ...more] = quantities;
  return only === undefined || more.length > 0 || isOpen(text) ? null : only.quantity;
}

/** The clause that the words name, where each word that only one of them has stands in the same one. */
function sideOf(words: readonly Token[], first: Clause, second: Clause): 'first' | 'second' | null {
  const sides = new Set<'first' | 'second'>();
  for (const [at, { text, raw }] of words.entries()) {
    // "battery A"
    const isName = at > 0 && /^[A-Z]$/.test(raw);
    if (!isName && fillers.has(text)) continue;
    const [inFirst, inSecond] = [first, second].map(({ stems, tokens }) =>
      isName ? tokens.some((token) => token.raw === raw) : stems.has(stem(text)),
    );
    if (inFirst === inSecond) {
      if (inFirst === false && !verbs.has(text)) return null;
      continue;
    }
    sides.add(inFirst === true ? 'first' : 'second');
  }
  const [side, ...others] = sides;
  return others.length > 0 ? null : (side ?? null);
}
