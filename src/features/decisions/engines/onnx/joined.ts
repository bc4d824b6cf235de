import type { Distribution, NormalizedQuestion } from '../../engine.ts';
import { normalise } from '../../order.ts';

/** What a model answers to one window. */
export interface WindowAnswer {
  readonly answer: Distribution;
  /** Above zero; what counts is how it compares with that of other windows. */
  readonly relevance: number;
}

/**
 * One answer from those of the windows: their mean, each weighed by how likely it is that this window speaks of the
 * question and by what it tells. Most windows of a long state tell nothing: of a choice or score they leave options about
 * even, and a statement that holds in one window they do not hold for true. A maximum over windows would rise with their
 * number, and the surest window may be one that has nothing to do with the question.
 */
export function joined(kind: NormalizedQuestion['kind'], read: readonly WindowAnswer[]): Distribution {
  const [only, ...others] = read;
  if (only === undefined) return [];
  if (others.length === 0) return only.answer;
  const weights = normalise(read.map(({ answer, relevance }) => relevance * told(kind, answer)));
  return normalise(
    only.answer.map((_, option) =>
      read.reduce((sum, { answer }, index) => sum + (weights[index] ?? 0) * (answer[option] ?? 0), 0),
    ),
  );
}

/** Of a statement its likelihood, of options how far they are from being even, in nats. */
function told(kind: NormalizedQuestion['kind'], answer: Distribution): number {
  if (kind === 'noul') return answer[0] ?? 0;
  // Rounding may end below zero.
  return Math.max(
    0,
    answer.reduce((sum, p) => sum + (p === 0 ? 0 : p * Math.log(p * answer.length)), 0),
  );
}
