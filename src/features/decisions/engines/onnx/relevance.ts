import { stem } from '../../../../kernel/kit/stem.ts';
import { tokenize } from '../../../../kernel/kit/words.ts';
import type { Distribution, NormalizedQuestion } from '../../engine.ts';

/** As many windows as are read of a long state: those that share most words with the texts of the question, in order. */
export function mostRelevant(
  windows: readonly string[],
  texts: readonly string[],
  most: number,
): readonly string[] {
  if (windows.length <= most) return windows;
  const asked = stemsOf(texts.join(' '));
  const shared = windows.map((window) => [...stemsOf(window)].filter((word) => asked.has(word)).length);
  const chosen = new Set(
    windows
      .map((_, index) => index)
      .toSorted((a, b) => (shared[b] ?? 0) - (shared[a] ?? 0) || a - b)
      .slice(0, most),
  );
  return windows.filter((_, index) => chosen.has(index));
}

const stemsOf = (text: string): ReadonlySet<string> => new Set(tokenize(text).map(stem));

/**
 * The answer of the window that knows most, as the authors of Laya and Decima take it: a statement holds if it does in
 * any window; of the others the surest window decides, because most windows of a long state say nothing of the question.
 */
export function surest(kind: NormalizedQuestion['kind'], answers: readonly Distribution[]): Distribution {
  const sureness = (answer: Distribution) => (kind === 'noul' ? (answer[0] ?? 0) : Math.max(...answer));
  return answers.reduce((best, answer) => (sureness(answer) > sureness(best) ? answer : best));
}
