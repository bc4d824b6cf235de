import type { Evidence } from './evidence.ts';
import type { Question } from './question.ts';
import type { Scored } from './rank.ts';

/**
 * Log odds. Fitted on 144 right answers from READMEs and the guide and on some 160 wrong ones, most of which are what is
 * quoted where the sentence that answers, or its page, is hidden; see docs/decisions/2026-11-26-answers-from-readmes.md.
 */
const weights = { bias: -3.7, named: 3.3, oneWord: -0.9, ahead: 1.2, likeness: 1, isOnPage: 0.8 } as const;
/** Where meanings were not compared, what it is on average. */
const usualLikeness = 0.55;

/** The probability that what comes first answers a question, and is not only near. `ranked` is best first. */
export function believe(
  { unit, score, likeness = usualLikeness }: Scored,
  ranked: readonly Scored[],
  { words }: Question,
  { named, isOnPage }: Evidence,
): number {
  const next = ranked.find((one) => one.unit.passage !== unit.passage);
  const logOdds =
    weights.bias +
    weights.named * named(unit) +
    weights.oneWord / Math.max(1, words.length) +
    weights.ahead * Math.min(1, score - (next?.score ?? 0)) +
    weights.likeness * likeness +
    (isOnPage(unit) ? weights.isOnPage : 0);
  return 1 / (1 + Math.exp(-logOdds));
}
