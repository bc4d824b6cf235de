import type { Token } from '../asked.ts';
import { Cursor, phrases } from '../cursor.ts';
import { takeNumber } from '../quantity.ts';
import { findComparison, isWithin, type Range, takeComparison } from '../range.ts';
import { type Verdict, verdict } from '../verdict.ts';
import type { Structure } from './lookup.ts';
import { truthsOf } from './truths.ts';

const sure = 0.97;

type Quantifier = 'all' | 'any' | 'none' | 'most';
const quantifiers: ReadonlyMap<string, Quantifier> = new Map(
  (
    [
      ['all', 'all every each both everyone everybody everything'],
      ['any', 'any some anyone anybody someone somebody anything something'],
      ['none', 'none no nobody nothing'],
      ['most', 'most'],
    ] as const
  ).flatMap(([quantifier, words]) => words.split(' ').map((word) => [word, quantifier] as const)),
);
/** These name no list. */
const pronouns = /(?<!n)one$|body$|thing$/;
const listed = new Set(['them', 'those', 'these']);
/** "most items", and neither "at most" nor "sold most". */
const mostAtMax = 1;
/** "no more than" is a comparison. */
const comparing = new Set(['more', 'less', 'fewer', 'greater', 'later', 'earlier']);
const existence = phrases('there is a|there is an|is there a|is there an|are there|there are');
const relative = new Set(['that', 'which', 'who', 'whose', 'with', 'where']);

interface Quantified {
  readonly quantifier: Quantifier | Range;
  readonly rest: readonly Token[];
  readonly isAnyList: boolean;
  /** "not all of them" */
  readonly isTurned: boolean;
}

/** "are all items shipped", "is any sensor not ok", "has anyone not paid", "do most of them cost more than 30". */
export function readQuantified(tokens: readonly Token[], structure: Structure): Verdict | null {
  const read = byWord(tokens) ?? byExistence(tokens) ?? byCount(tokens);
  if (read === null) return null;
  const isDenied = read.rest.some(({ text }) => text === 'not' || text === 'without');
  const plain = read.rest.filter(({ text }) => text !== 'not');
  const found = truthsOf(plain, structure, read.isAnyList);
  if (found === null) return null;
  const count = found.filter(({ holds }) => holds !== isDenied).length;
  return verdict(holdsFor(read.quantifier, count, found.length) !== read.isTurned, sure);
}

/** Whether a quantifier stands over items that a comparison is asked of: then their number is not what is compared. */
export const comparesItems = (tokens: readonly Token[]): boolean =>
  (byWord(tokens) ?? byExistence(tokens)) !== null && findComparison(tokens) !== null;

function holdsFor(quantifier: Quantified['quantifier'], count: number, all: number): boolean {
  if (quantifier === 'all') return count === all;
  if (quantifier === 'most') return count * 2 > all;
  if (quantifier === 'any') return count > 0;
  return quantifier === 'none' ? count === 0 : isWithin(count, quantifier);
}

function byWord(tokens: readonly Token[]): Quantified | null {
  const at = tokens.findIndex(
    ({ text }, place) =>
      quantifiers.has(text) &&
      (text !== 'most' || (place <= mostAtMax && tokens[place - 1]?.text !== 'at')) &&
      (text !== 'no' || !comparing.has(tokens[place + 1]?.text ?? '')),
  );
  const word = tokens[at]?.text ?? '';
  const quantifier = quantifiers.get(word);
  if (quantifier === undefined) return null;
  const isNobody = word === 'no' && tokens[at + 1]?.text === 'one';
  const isTurned = tokens[at - 1]?.text === 'not';
  const rest = tokens.filter(
    (_, place) => place !== at && !(isTurned && place === at - 1) && !(isNobody && place === at + 1),
  );
  const isAnyList = isNobody || pronouns.test(word) || rest.some(({ text }) => listed.has(text));
  return { quantifier, rest, isAnyList, isTurned };
}

/** "is there an item that costs more than 30" */
function byExistence(tokens: readonly Token[]): Quantified | null {
  const cursor = new Cursor(tokens);
  if (cursor.take(existence) === null) return null;
  const rest = tokens.slice(cursor.at);
  return rest.slice(1).some(({ text }) => relative.has(text))
    ? { quantifier: 'any', rest, isAnyList: false, isTurned: false }
    : null;
}

const only = phrases('only');
const ofThem = phrases('of these|of those|of them');
const of = phrases('of the|of');

/** "are at least two of them closed", "is only one door open" */
function byCount(tokens: readonly Token[]): Quantified | null {
  const cursor = new Cursor(tokens);
  for (let at = 0; at < tokens.length; at++) {
    cursor.backTo(at);
    const isOnly = cursor.take(only) !== null;
    const start = cursor.at;
    const range = takeComparison(cursor) ?? (isOnly ? exactly(cursor, start) : null);
    if (range === null) continue;
    const isAnyList = cursor.take(ofThem) !== null;
    cursor.take(of);
    const rest = [...tokens.slice(0, at), ...tokens.slice(cursor.at)];
    return range.unit === null ? { quantifier: range, rest, isAnyList, isTurned: false } : null;
  }
  return null;
}

function exactly(cursor: Cursor, start: number): Range | null {
  cursor.backTo(start);
  const value = takeNumber(cursor);
  return value === null
    ? null
    : { from: value, to: value, hasFrom: true, hasTo: true, unit: null, isAge: false };
}
