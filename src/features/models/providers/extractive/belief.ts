import type { Evidence } from './evidence.ts';
import type { Question } from './question.ts';
import type { Scored } from './rank.ts';

/**
 * Log odds, fitted on questions that were looked at, by the encoder and by words: 288 right answers, 40 wrong ones, and 302
 * that are quoted where what answers, or its page, is hidden. See docs/decisions/2026-11-26-answers-that-are-not-given.md.
 */
const weights = { bias: -3.7, named: 3.3, oneWord: -0.9, ahead: 1.2, likeness: 1, isOnPage: 0.8 } as const;
/**
 * The probability that a unit answers the question, and is not only near. `ranked` is best first. Null where meanings were
 * not compared: by words alone a floor takes a right answer for each wrong one.
 */
export function believe(
  { unit, score, likeness }: Scored,
  ranked: readonly Scored[],
  { words }: Question,
  { named, isOnPage }: Evidence,
): number | null {
  if (likeness === undefined) return null;
  const other = ranked.find((one) => one.unit.passage !== unit.passage);
  const logOdds =
    weights.bias +
    weights.named * named(unit) +
    weights.oneWord / Math.max(1, words.length) +
    weights.ahead * Math.min(1, score - (other?.score ?? 0)) +
    weights.likeness * likeness +
    (isOnPage(unit) ? weights.isOnPage : 0);
  return 1 / (1 + Math.exp(-logOdds));
}
