import type { Distribution, NormalizedQuestion } from './engine.ts';

/**
 * Index of the option with the highest probability. Ties go to the name that is smallest by Unicode code
 * point, so that permuted options give the same choice.
 */
export function choiceOf(names: readonly string[], probabilities: Distribution): number {
  let best = 0;
  for (let i = 1; i < probabilities.length; i++) {
    const difference = at(probabilities, i) - at(probabilities, best);
    if (difference > 0 || (difference === 0 && comesFirst(names[i] ?? '', names[best] ?? ''))) best = i;
  }
  return best;
}

/** How far the highest probability stands above an even spread. 0 when all are equal, 1 when one has all. */
export function choiceConfidence(probabilities: Distribution): number {
  const n = probabilities.length;
  return n === 1 ? 1 : clamp((n * Math.max(...probabilities) - 1) / (n - 1));
}

/** Probability-weighted mean of the level indices, in [0, n-1]. */
export function scoreOf(probabilities: Distribution): number {
  const mean = probabilities.reduce((sum, p, index) => sum + p * index, 0);
  return Math.min(Math.max(mean, 0), probabilities.length - 1);
}

/**
 * How closely the levels gather around the likeliest one: 1 minus the mean distance from it, relative to the
 * mean distance of an even spread from the middle.
 */
export function scoreConfidence(probabilities: Distribution): number {
  const n = probabilities.length;
  if (n === 1) return 1;
  const likeliest = probabilities.indexOf(Math.max(...probabilities));
  const distance = probabilities.reduce((sum, p, index) => sum + p * Math.abs(index - likeliest), 0);
  const spread = probabilities.reduce((sum, _, index) => sum + Math.abs(index - (n - 1) / 2), 0) / n;
  return clamp(1 - distance / spread);
}

/** Confidence of an answer, on which thresholds stand: that of two options for a noul. */
export function confidenceOf(kind: NormalizedQuestion['kind'], probabilities: Distribution): number {
  return kind === 'score' ? scoreConfidence(probabilities) : choiceConfidence(probabilities);
}

function clamp(value: number): number {
  return Math.min(Math.max(value, 0), 1);
}

function at(values: Distribution, index: number): number {
  return values[index] ?? 0;
}

/** By code point: UTF-16 order would put astral characters before U+E000. */
function comesFirst(a: string, b: string): boolean {
  const left = [...a];
  const right = [...b];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return left.length < right.length;
}
