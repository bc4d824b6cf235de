import { toHeadline, type Answer } from './answers.ts';
import type { Outcome } from './batch.ts';

type Outcomes = readonly (Outcome | null)[];

/** How sure an answer is, 0 to 1: that of a noul is its distance from 0.5, doubled. */
export function confidenceOf(answer: Answer): number {
  return answer.type === 'noul' ? Math.abs(answer.noul - 0.5) * 2 : answer.confidence;
}

/** Confidence of the least sure answer of a row; null where it has none. */
export function leastSureOf(outcome: Outcome | null | undefined): number | null {
  const answers = Object.values(outcome?.decision?.answers ?? {});
  return answers.length === 0 ? null : Math.min(...answers.map(confidenceOf));
}

/** Whether somebody should look at a row: an answer was abstained from, or is less sure than wanted. */
export function isToReview(outcome: Outcome | null | undefined, below: number): boolean {
  const answers = Object.values(outcome?.decision?.answers ?? {});
  return answers.some((answer) => answer.abstained === true || confidenceOf(answer) < below);
}

export interface ResultsView {
  readonly onlyErrors: boolean;
  readonly onlyReview: boolean;
  /** The least sure first, in place of the order of the table. */
  readonly leastSureFirst: boolean;
  readonly reviewBelow: number;
}

/** The rows that have an outcome and are wanted, in the order that is wanted. */
export function rowsInView(outcomes: Outcomes, view: ResultsView): readonly number[] {
  const rows = [...outcomes.keys()].filter((row) => {
    const outcome = outcomes[row] ?? null;
    if (outcome === null || (view.onlyErrors && outcome.error === undefined)) return false;
    return !view.onlyReview || isToReview(outcome, view.reviewBelow);
  });
  if (!view.leastSureFirst) return rows;
  // Rows with errors were not answered at all.
  const sureness = new Map(rows.map((row) => [row, leastSureOf(outcomes[row]) ?? -1]));
  return rows.sort((one, other) => (sureness.get(one) ?? 0) - (sureness.get(other) ?? 0));
}

/** How often each answer to a question was the likeliest, most frequent first. */
export interface Summary {
  readonly name: string;
  readonly answered: number;
  readonly classes: readonly {
    readonly label: string;
    readonly count: number;
    readonly meanConfidence: number;
  }[];
}

export function summarize(outcomes: Outcomes, names: readonly string[]): readonly Summary[] {
  return names.map((name) => {
    const answers = outcomes.flatMap((outcome) => outcome?.decision?.answers[name] ?? []);
    const byLabel = Map.groupBy(answers, (answer) => toHeadline(answer).label);
    const classes = [...byLabel].map(([label, same]) => ({
      label,
      count: same.length,
      meanConfidence: same.reduce((sum, answer) => sum + confidenceOf(answer), 0) / same.length,
    }));
    classes.sort((one, other) => other.count - one.count);
    return { name, answered: answers.length, classes };
  });
}
