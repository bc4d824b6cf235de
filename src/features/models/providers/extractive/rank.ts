import { tokenize } from '../../../../kernel/kit/words.ts';
import type { WordVectors } from '../../../../kernel/kit/word-vectors.ts';
import type { SourcePassage } from '../../model.ts';
import { toSubject } from './by-name.ts';
import { fits, isFact } from './fits.ts';
import { toLiterals } from './literals.ts';
import { createMatcher, weightedMean, weigh, type Match } from './match.ts';
import type { Question } from './question.ts';
import type { ReadPassage, Unit } from './units.ts';
import { isContent } from './words.ts';

export interface Scored {
  readonly unit: Unit;
  /** Share of the question that the unit covers, with the help of what stands around it. In [0, 1]. */
  readonly coverage: number;
  /** Share that its headings cover. */
  readonly headed: number;
  readonly score: number;
  /** Cosine with the question, where the encoder was asked. */
  readonly likeness?: number;
  /** How far the heading above it asks the same, where it begins what answers that. In [0, 1]. */
  readonly asks?: number;
  /** Log odds that it answers, where the reader was asked; bounded. */
  readonly told?: number;
}

/** A word of the title, of a heading or of a neighbour counts for less than one of the unit. */
const titleShare = 0.6;
const headingShare = 0.8;
const neighbourShare = 0.45;
const discount = 0.7;

/**
 * What a place is worth to the order, fitted by the softmax over all places of a question on 941 questions that one of them answers, and
 * divided by 5, so that a whole coverage is about 1. By hand, on those that were looked at: `headed` (0 when fitted), `asked` (0.27), `code`
 * (-0.18, of a way 0.33), `literal` (0.34), `fit` (0.12), for questions that only their kind tells apart, and `first` (0.44), for the page that
 * is cited. See docs/decisions/2026-11-27-candidates.md.
 */
const worth = {
  coverage: 0.77,
  alone: 0.89,
  headed: 0.2,
  heading: 0.2,
  asked: 0.35,
  code: -0.4,
  fit: 0.3,
  unfit: -0.42,
  unsigned: -0.55,
  literal: 0.8,
  first: 0.8,
  passage: -0.044,
  place: -0.0033,
} as const;
const placesMax = 40;

/** Of what is near, the source that was found first is worth more. */
const placeBonus = [0.8, 0.3, 0.15];
export const bonusOf = (passage: number): number => placeBonus[passage] ?? 0;

/** Every unit of the passages by its words, best first. */
export function rank(
  question: Question,
  passages: readonly SourcePassage[],
  read: readonly ReadPassage[],
  vectors: WordVectors,
): readonly Scored[] {
  const units = read.flatMap((one) => one.units);
  if (units.length === 0 || question.words.length === 0) return [];
  const weights = weigh(question, units, vectors);
  const matcher = createMatcher(question, vectors);
  const literals = toLiterals(question.text, passages);
  const titles = passages.map((one) => matcher(tokenize(toSubject(one)).filter(isContent)));
  const headings = new Map<string, Match>();
  const headingOf = ({ headings: path }: Unit): Match => {
    const text = path.join(' ');
    const known = headings.get(text) ?? matcher(tokenize(text).filter(isContent));
    headings.set(text, known);
    return known;
  };
  const matches = units.map(({ words }) => matcher(words));
  return units
    .map((unit, at): Scored => {
      const own = matches[at] ?? [];
      const title = titles[unit.passage] ?? [];
      const heading = headingOf(unit);
      const around = [at - 1, at + 1].map((near) =>
        units[near]?.passage === unit.passage ? (matches[near] ?? []) : [],
      );
      const helped = own.map((match, word) =>
        Math.max(
          match,
          (heading[word] ?? 0) * headingShare,
          (title[word] ?? 0) * titleShare,
          Math.max(...around.map((near) => near[word] ?? 0)) * neighbourShare,
        ),
      );
      const coverage = weightedMean(helped, weights);
      // What the title covers it covers for all of its passage, so the best unit is the one that covers the rest.
      const rest = weights.map(
        (weight, word) => weight * (1 - discount * Math.max(title[word] ?? 0, 0.5 * (heading[word] ?? 0))),
      );
      const alone = weightedMean(own, rest);
      const headed = weightedMean(heading, weights);
      const score =
        worth.coverage * coverage +
        worth.alone * alone +
        worth.headed * headed +
        worth.heading * (unit.depth === 0 ? headed : 0) +
        (isAskedAbove({ unit, headed }) ? worth.asked : 0) +
        kindBonus(unit, question) +
        (literals.some((one) => unit.text.includes(one)) ? worth.literal : 0) +
        (unit.passage === 0 ? worth.first : 0) +
        worth.passage * unit.passage +
        worth.place * Math.min(placesMax, unit.place);
      return { unit, coverage: alone === 0 && headed === 0 ? 0 : coverage, headed, score };
    })
    .toSorted((a, b) => b.score - a.score || a.unit.passage - b.unit.passage || a.unit.place - b.unit.place);
}

/** A heading that asks what the question asks is above its answer. */
const askedMin = 0.85;
export const isAskedAbove = ({ unit, headed }: Pick<Scored, 'unit' | 'headed'>): boolean =>
  headed >= askedMin && (unit.headings.at(-1)?.endsWith('?') ?? false);

function kindBonus(unit: Unit, question: Question): number {
  const code = unit.kind === 'code' && question.asked !== 'way' ? worth.code : 0;
  const sign = question.thing?.sign ?? null;
  if (sign !== null) return code + (sign.test(unit.text) ? 0 : worth.unsigned);
  if (fits(unit, question)) return code + (question.asked === 'any' ? 0 : worth.fit);
  return code + (isFact(question.asked) ? worth.unfit : 0);
}
