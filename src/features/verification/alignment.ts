import { isJoining, isLiteral, isMet, keysOf, type Lexeme } from './lexemes.ts';
import type { PassageUnit, Rarity, ReadPassage } from './passages.ts';
import { isDeniedBy, isReplaced } from './slots.ts';

/** The place of the passages that comes nearest to saying what a sentence says. */
export interface Alignment {
  readonly unit: PassageUnit | null;
  /** The unit with its neighbours and headings. */
  readonly context: string;
  /** Share of the sentence's words, by their rarity, that the unit has; and that it or its context has. */
  readonly covered: number;
  readonly coveredAround: number;
  /** Literals of the sentence that the cited passages have nowhere, and those that only this place lacks. */
  readonly missing: readonly Lexeme[];
  readonly elsewhere: readonly Lexeme[];
  /** Literals of the sentence in whose place, between the same words, the unit has another. */
  readonly replaced: readonly Lexeme[];
  /** Whether one denies, between the same words, what the other does not. */
  readonly isDenied: boolean;
  /** Whether one has an even number of denials and the other an odd one. */
  readonly isUneven: boolean;
}

/** Worth of a word that only the context has. */
const aroundShare = 0.6;
const contextCharsMax = 700;
const candidatesMax = 8;

const isIn = ({ keys }: ReadPassage, lexeme: Lexeme): boolean =>
  isMet(lexeme, keys) || hasParts(keys, lexeme);

/** A name of several parts is met where all of them are. */
function hasParts(keys: ReadonlySet<string>, { kind, keys: [key = ''] }: Lexeme): boolean {
  if (kind !== 'name') return false;
  const parts = key.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== '');
  return parts.length > 1 && parts.every((part) => keys.has(part));
}

/** Finds the place that has most of the words of a sentence. */
export function align(
  sentence: readonly Lexeme[],
  passages: readonly ReadPassage[],
  rarity: Rarity,
): Alignment {
  const said = sentence.filter(({ kind, keys: [key = ''] }) => kind !== 'denial' && !isJoining(key));
  const weights = said.map(({ keys: [key = ''] }) => rarity(key));
  const all = Math.max(1e-9, sum(weights));
  const coverage = (keys: ReadonlySet<string>) =>
    sum(said.map((lexeme, at) => (isMet(lexeme, keys) ? (weights[at] ?? 0) : 0))) / all;
  const missing = said.filter(
    (lexeme) => isLiteral(lexeme) && !passages.some((passage) => isIn(passage, lexeme)),
  );
  const candidates = passages
    .flatMap(({ units }) => units.map((unit) => ({ unit, units, covered: coverage(unit.keys) })))
    .filter(({ covered }) => covered > 0)
    .toSorted((a, b) => b.covered - a.covered)
    .slice(0, candidatesMax)
    .map(({ unit, units, covered }) => {
      const around = units.slice(Math.max(0, unit.place - 1), unit.place + 2);
      const near = new Set(around.flatMap(({ keys }) => [...keys]));
      return { unit, covered, around, coveredAround: coverage(near), near };
    })
    .toSorted((a, b) => worth(b) - worth(a));
  const [best] = candidates;
  if (best === undefined) return { ...nothing, missing };
  const { unit, covered, coveredAround, around, near } = best;
  const context = [unit.headings, ...around.map(({ text }) => text)].join(' ').slice(0, contextCharsMax);
  const elsewhere = said.filter(
    (lexeme) =>
      isLiteral(lexeme) && !missing.includes(lexeme) && !isMet(lexeme, near) && !hasParts(near, lexeme),
  );
  return {
    unit,
    context,
    covered,
    coveredAround,
    missing,
    elsewhere,
    replaced: sentence.filter((_, at) => isReplaced(sentence, at, unit.lexemes)),
    isDenied: isDeniedBy(sentence, unit.lexemes) || isDeniedBy(unit.lexemes, sentence),
    isUneven: (denialsOf(sentence) + denialsIn(said, unit)) % 2 === 1,
  };
}

const nothing = {
  unit: null,
  context: '',
  covered: 0,
  coveredAround: 0,
  elsewhere: [],
  replaced: [],
  isDenied: false,
  isUneven: false,
} as const;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const worth = ({ covered, coveredAround }: { covered: number; coveredAround: number }): number =>
  covered * (1 - aroundShare) + coveredAround * aroundShare;

const denialsOf = (lexemes: readonly Lexeme[]): number =>
  lexemes.filter(({ kind }) => kind === 'denial').length;

/** Denials of the unit where it says words of the sentence. */
function denialsIn(said: readonly Lexeme[], { lexemes }: PassageUnit): number {
  const keys = new Set(said.flatMap(keysOf));
  const places = lexemes.flatMap((lexeme, at) => (isMet(lexeme, keys) ? [at] : []));
  const [first = 0, last = -1] = [places[0], places.at(-1)];
  return denialsOf(lexemes.slice(Math.max(0, first - 2), last + 2));
}
