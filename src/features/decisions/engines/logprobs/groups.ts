import type { NormalizedQuestion } from '../../engine.ts';
import type { Readout } from './readout.ts';

/** Weights of a question's options, and the label mass of the last reading. */
export interface Weighed {
  readonly weights: readonly number[];
  readonly mass: number;
}

/**
 * Weighs more options than one reading can distinguish. The options are asked in even groups, then the best of all
 * groups together. The weight of an option is the weight of its group's best in that final, times its own relative to
 * that best. For a model that weighs options independently this equals a single reading.
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
      // A single option needs no request.
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
