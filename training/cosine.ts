import { weightOf } from '../src/features/decisions/words/lexeme.ts';
import { toUnit } from '../src/features/decisions/words/metric.ts';
import type { WordVectors } from '../src/kernel/kit/word-vectors.ts';
import { splitName, tokenize } from '../src/kernel/kit/words.ts';
import type { Example } from './examples.ts';

/** Sharpness that makes probabilities of cosines; fixed, because nothing is fitted here. */
const sharpness = 10;

/** The scorer to beat: cosine of the weighted mean vectors, with no training at all. */
export function createCosine(vectors: WordVectors): (example: Example) => readonly number[] {
  const meanOf = (text: string): Float64Array => {
    const mean = new Float64Array(vectors.dimensions);
    for (const token of new Set(tokenize(text))) {
      const row = vectors.rowOf(token);
      if (row < 0) continue;
      const [unit, weight] = [toUnit(vectors.vectorAt(row)), weightOf(token, row, vectors.size)];
      unit.forEach((x, i) => (mean[i] = (mean[i] ?? 0) + weight * x));
    }
    return toUnit(mean);
  };
  return ({ state, question }) => {
    const own = meanOf(state);
    const cosine = (text: string): number => meanOf(text).reduce((sum, x, i) => sum + x * (own[i] ?? 0), 0);
    if (question.kind === 'noul') {
      const p = (1 + cosine(question.question)) / 2;
      return [p, 1 - p];
    }
    const powers = question.options.map(({ name }) => Math.exp(sharpness * cosine(splitName(name))));
    const sum = powers.reduce((a, b) => a + b, 0);
    return powers.map((power) => power / sum);
  };
}
