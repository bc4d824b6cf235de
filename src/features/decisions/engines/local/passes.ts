import type { NextToken } from '../../../models/feature.ts';
import type { Distribution, NormalizedQuestion } from '../../engine.ts';

/** Options of a question that are read in one evaluation, by index. */
export type Pass = readonly number[];

/** One pass where the labels suffice, else groups of nearly equal size; their winners meet in a final pass. */
export function passesOf(options: number, labels: number): readonly Pass[] {
  const groups = Math.ceil(options / labels);
  return Array.from({ length: groups }, (_, group) => {
    const from = Math.floor((group * options) / groups);
    const to = Math.floor(((group + 1) * options) / groups);
    return Array.from({ length: to - from }, (_, index) => from + index);
  });
}

/** The likeliest option of each pass. Ties go to the first. */
export function finalistsOf(passes: readonly Pass[], read: readonly NextToken[]): Pass {
  return passes.map((pass, index) => {
    const logits = read[index]?.logits ?? [];
    return pass[logits.indexOf(Math.max(...logits))] ?? pass[0] ?? 0;
  });
}

export function withOptions(question: NormalizedQuestion, pass: Pass): NormalizedQuestion {
  if (pass.length === question.options.length) return question;
  return { ...question, options: pass.flatMap((index) => question.options[index] ?? []) };
}

/**
 * Softmax over the labels. With groups every option stands as far below its group's winner as its group said, and
 * the winners as the final pass said; so no option is 0 for having been in another group.
 */
export function distributionOf(
  passes: readonly Pass[],
  read: readonly NextToken[],
  final: NextToken | undefined,
): Distribution {
  const scores = passes.flatMap((_, index) => {
    const logits = read[index]?.logits ?? [];
    const shift = final === undefined ? 0 : (final.logits[index] ?? Number.NaN) - Math.max(...logits);
    return logits.map((logit) => logit + shift);
  });
  return softmax(scores);
}

/** The part of the whole next-token distribution that fell on the labels, in (0,1]. */
export function labelMassOf({ logits, maxLogit, totalWeight }: NextToken): number {
  const weight = logits.reduce((sum, logit) => sum + Math.exp(logit - maxLogit), 0);
  // The library sums in single precision.
  return Math.min(1, weight / totalWeight);
}

function softmax(scores: readonly number[]): Distribution {
  const highest = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - highest));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}
