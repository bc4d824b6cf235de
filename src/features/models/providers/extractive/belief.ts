import { unreadOdds } from './by-reader.ts';
import type { Evidence } from './evidence.ts';
import { fits } from './fits.ts';
import type { Question } from './question.ts';
import type { Scored } from './rank.ts';
import type { Unit } from './units.ts';
import { stem } from './words.ts';

/**
 * Log odds, fitted by log loss on what would be quoted first for questions: 298 right answers, 364 that are not, and 153 that are quoted
 * where what answers is hidden, with the reader of before (docs/decisions/2026-11-27-candidates.md). Fitted anew with this one they
 * are no better on questions left out (docs/decisions/2026-11-27-a-teacher-of-answers.md).
 */
const weights = {
  bias: -3.54,
  named: 1.92,
  oneWord: -1.94,
  ahead: 2.07,
  isOnPage: 0.67,
  told: 0.4,
  most: 0.09,
  /**
   * By hand: where pages have names a question that names none of them means another, and where they are about one thing it need not
   * (docs/decisions/2026-11-28-what-a-question-has-to-name.md).
   */
  unnamed: -0.2,
  topics: 0.9,
  /** By hand: what nearly the same was asked above is believed whatever words it has. */
  asks: 6,
} as const;
/** A heading may share hardly more than the name of its page with the question ("What is X?"): the reader then denies what stands below. */
const denied = { toldMax: -3, asksMax: 0.9 };
/** Least probability that what is nearest answers a question. */
const beliefMin = 0.36;
/** Whoever types an order or keywords searches, and what is near is of use: nothing is where the reader says so of all. */
const foundMin = -2;

/**
 * Whether a unit answers, and is not only near. `ranked` is best first. Always where the reader was not asked: by words alone
 * such a floor takes a right answer for each wrong one.
 */
export function isBelieved(
  one: Scored,
  ranked: readonly Scored[],
  question: Question,
  evidence: Evidence,
): boolean {
  const told = ranked.flatMap((other) => other.told ?? []);
  if (told.length === 0) return true;
  const most = Math.max(...told);
  return question.isAsked ? believe(one, most, ranked, question, evidence) >= beliefMin : most > foundMin;
}

function believe(
  { unit, score, told = unreadOdds, asks: asked = 0 }: Scored,
  most: number,
  ranked: readonly Scored[],
  question: Question,
  { named, isOnPage, titles }: Evidence,
): number {
  const pages = titles(unit);
  const asks = told < denied.toldMax && asked < denied.asksMax ? 0 : asked;
  const other = ranked.find((one) => one.unit.passage !== unit.passage);
  const ahead = Math.min(1, score - (other?.score ?? 0));
  const logOdds =
    weights.bias +
    weights.named * named(unit) +
    (isDefinition(unit, question) ? 0 : weights.oneWord / Math.max(1, question.words.length)) +
    weights.ahead * (asks > 0 ? Math.max(0, ahead) : ahead) +
    weights.told * told +
    weights.most * most +
    weights.asks * asks +
    (isOnPage(unit) ? weights.isOnPage : pages === 'names' ? weights.unnamed : 0) +
    (pages === 'topics' ? weights.topics : 0);
  return 1 / (1 + Math.exp(-logOdds));
}

/** Of what is asked, from its first word on: "what is X?" has one word of its own, which any sentence on X has. */
function isDefinition(unit: Unit, question: Question): boolean {
  const [first] = unit.words;
  const isSubject = first !== undefined && question.words.some((one) => one.stem === stem(first));
  return question.asked === 'definition' && isSubject && fits(unit, question);
}
