import type { QuestionReport } from './wire.ts';

/** How often examples of one answer (a row) were answered with each (its cells). */
export interface Confusion {
  readonly names: readonly string[];
  readonly rows: readonly (readonly number[])[];
}

/** More would be squeezed. */
const namesMax = 8;

/**
 * Every pair of answers; null where the report does not tell of all, because it names only those that were confused most
 * often, or where there are too many to be read.
 */
export function toConfusion({ labels, confused }: QuestionReport): Confusion | null {
  if (!labels || !confused || labels.length > namesMax) return null;
  const names = labels.map(({ name }) => name);
  const rows = labels.map(({ name, examples, recall }) =>
    names.map((answered) =>
      answered === name
        ? Math.round((recall ?? 0) * examples)
        : (confused.find((pair) => pair.right === name && pair.answered === answered)?.examples ?? 0),
    ),
  );
  const isWhole = labels.every(
    ({ examples }, place) => rows[place]?.reduce((sum, count) => sum + count, 0) === examples,
  );
  return isWhole ? { names, rows } : null;
}
