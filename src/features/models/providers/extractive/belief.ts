import type { Evidence } from './evidence.ts';
import type { Question } from './question.ts';
import type { Scored } from './rank.ts';
import type { Unit } from './units.ts';

/**
 * Log odds, fitted on questions that were looked at: right answers against wrong ones, and against what is quoted where what
 * answers, or its page, is hidden. See docs/decisions/2026-11-26-answers-that-are-not-given.md.
 */
const weights = {
  bias: -4.57,
  named: 3.3,
  oneWord: -0.9,
  ahead: 1.2,
  aheadOnPage: 1.05,
  likeness: 1,
  isOnPage: 0.8,
  isYesNo: -1.26,
  denies: 0.94,
} as const;
/** What is ahead of its own page by more, or behind it, says no more. */
const aheadOnPage = { min: -0.2, max: 0.5 };

/**
 * The probability that a unit answers the question, and is not only near. `ranked` is best first. Null where meanings were
 * not compared: by words alone a floor takes a right answer for each wrong one.
 */
export function believe(
  { unit, score, likeness }: Scored,
  ranked: readonly Scored[],
  { words, isYesNo }: Question,
  { named, isOnPage }: Evidence,
): number | null {
  if (likeness === undefined) return null;
  const section = unit.headings.join('\n');
  const ahead = (isOther: (other: Scored) => boolean): number => score - (ranked.find(isOther)?.score ?? 0);
  const ofOthers = ahead((one) => one.unit.passage !== unit.passage);
  const ofSections = ahead(
    (one) => one.unit.passage === unit.passage && one.unit.headings.join('\n') !== section,
  );
  const logOdds =
    weights.bias +
    weights.named * named(unit) +
    weights.oneWord / Math.max(1, words.length) +
    weights.ahead * Math.min(1, ofOthers) +
    weights.aheadOnPage * Math.min(aheadOnPage.max, Math.max(aheadOnPage.min, ofSections)) +
    weights.likeness * likeness +
    (isOnPage(unit) ? weights.isOnPage + (isYesNo ? yesOrNo(unit) : 0) : 0);
  return 1 / (1 + Math.exp(-logOdds));
}

/** Whether a thing can do something is mostly asked of what it cannot, and its page tells that where it tells it at all. */
const yesOrNo = ({ text }: Unit): number => weights.isYesNo + (denial.test(text) ? weights.denies : 0);

const denial = /\b(?:not|no|never|without|cannot|only|neither|nor|none)\b|n['’]t\b/i;
