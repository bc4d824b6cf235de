import type { NormalizedQuestion } from '../../normalized-question.ts';
import type { Readout } from './readout.ts';

/** What a question's options weigh, and how much of the last answer fell on labels. */
export interface Weighed {
  readonly weights: readonly number[];
  readonly mass: number;
}

/**
 * Weighs more options than one answer can tell apart. The options are asked in even groups, then the best of each
 * group against each other; an option weighs what its group's best weighs there, times how it stands to that best
 * in its group. For a model that weighs options independently of each other this is what one answer would be.
 */
export async function weigh(
  question: NormalizedQuestion,
  groupSize: number,
  read: (question: NormalizedQuestion) => Promise<Readout>,
): Promise<Weighed> {
  const { options } = question;
  if (options.length <= groupSize) return read(question);
  const groups = evenly(options.length, Math.ceil(options.length / groupSize));
  const answers = await Promise.all(
    groups.map(async ({ from, to }) => {
      // An option alone in its group goes on by itself.
      if (to - from === 1) return [1];
      return (await read({ ...question, options: options.slice(from, to) })).weights;
    }),
  );
  const best = answers.map((weights) => weights.indexOf(Math.max(...weights)));
  const finalists = groups.map(({ from }, index) => options[from + (best[index] ?? 0)]);
  const final = await weigh(
    { ...question, options: finalists.filter((option) => option !== undefined) },
    groupSize,
    read,
  );
  const weights = answers.flatMap((group, index) => {
    const top = group[best[index] ?? 0] ?? 1;
    return group.map((weight) => ((final.weights[index] ?? 0) * weight) / top);
  });
  return { weights, mass: final.mass };
}

function evenly(total: number, count: number): { readonly from: number; readonly to: number }[] {
  const edge = (index: number) => Math.floor((index * total) / count);
  return Array.from({ length: count }, (_, index) => ({ from: edge(index), to: edge(index + 1) }));
}
