import type { NormalizedQuestion } from '../engine.ts';
import { canonicalOrder } from '../order.ts';

/** Examples of one option that were answered with one, by their places in canonical order. */
export interface Confusion {
  readonly right: number;
  readonly chosen: number;
  readonly count: number;
}

/** How one answer was given to examples, each of which was answered by what the others teach. */
export interface LabelFigures {
  readonly name: string;
  /** For which it is right. */
  readonly examples: number;
  /** Which were answered with it. */
  readonly answered: number;
  /** Share of those that were answered with it for which it is right; null where there are none. */
  readonly precision: number | null;
  /** Share of its examples that were answered with it; null where there are none. */
  readonly recall: number | null;
}

/** Examples of one answer that were answered with another. */
export interface ConfusedPair {
  readonly right: string;
  readonly answered: string;
  readonly examples: number;
}

export interface LabelReport {
  /** In the order of the question. */
  readonly labels: readonly LabelFigures[];
  /** Those that were confused most often, at most ten. */
  readonly confused: readonly ConfusedPair[];
}

const confusedMax = 10;

export function toConfusion(
  answers: readonly { readonly right: number; readonly chosen: number }[],
): readonly Confusion[] {
  const counts = new Map<string, Confusion>();
  for (const { right, chosen } of answers) {
    const key = `${right} ${chosen}`;
    counts.set(key, { right, chosen, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

export function toLabelReport(question: NormalizedQuestion, confusion: readonly Confusion[]): LabelReport {
  const order = canonicalOrder(question);
  const nameOf = (place: number) => question.options[order[place] ?? 0]?.name ?? '';
  const sumOf = (some: readonly Confusion[]) => some.reduce((sum, { count }) => sum + count, 0);
  const labels = question.options.map(({ name }, option): LabelFigures => {
    const place = order.indexOf(option);
    const examples = sumOf(confusion.filter(({ right }) => right === place));
    const answered = sumOf(confusion.filter(({ chosen }) => chosen === place));
    const hits = sumOf(confusion.filter(({ right, chosen }) => right === place && chosen === place));
    return {
      name,
      examples,
      answered,
      precision: answered === 0 ? null : hits / answered,
      recall: examples === 0 ? null : hits / examples,
    };
  });
  const confused = confusion
    .filter(({ right, chosen }) => right !== chosen)
    .toSorted((one, other) => other.count - one.count || one.right - other.right || one.chosen - other.chosen)
    .slice(0, confusedMax)
    .map(({ right, chosen, count }) => ({ right: nameOf(right), answered: nameOf(chosen), examples: count }));
  return { labels, confused };
}
