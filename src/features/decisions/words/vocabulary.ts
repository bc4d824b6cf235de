import type { WordVectors } from '../../../kernel/kit/word-vectors.ts';
import { placeWord, type Placed } from './metric.ts';
import type { Model } from './model.ts';

/** Word vectors and the trained model, with what both give for one word. Lives as long as the engine. */
export interface Vocabulary {
  readonly vectors: WordVectors;
  readonly model: Model;
  readonly placeOf: (row: number, isFiller: boolean) => Placed;
  readonly usualOf: (mean: Float64Array) => Usual;
}

/** How near a mean vector lies to the usual messages. */
export interface Usual {
  /** Mean cosine with the nearest of them. */
  readonly near: number;
  /** Mean cosine with all of them. */
  readonly mean: number;
}

/** Most placed words kept, about 0.6 kB each. The cache is emptied when it is full; answers do not depend on it. */
const placedMax = 4096;
const nearest = 5;

/** Caches placed words: placing one takes about 10 us. With the words of the last calls kept, a noul takes 0.35 ms instead of 1.0. */
export function createVocabulary(vectors: WordVectors, model: Model): Vocabulary {
  const placed = new Map<number, Placed>();
  return {
    vectors,
    model,
    usualOf: createUsual(model.usual, vectors.dimensions),
    placeOf(row, isFiller) {
      const known = placed.get(row);
      if (known !== undefined) return known;
      if (placed.size >= placedMax) placed.clear();
      const found = placeWord(vectors, row, isFiller, model.metric);
      placed.set(row, found);
      return found;
    },
  };
}

/**
 * Compares means with the centres of usual messages. A hypothesis that is near to everything ("change", "get") matches
 * every state and proves little. With this feature the AUROC of "is it about X" on held-out banking intents rose from
 * 0.857 to 0.875.
 */
export function createUsual(centres: readonly number[], dimensions: number): Vocabulary['usualOf'] {
  const table = Float32Array.from(centres);
  const count = table.length / dimensions;
  return (mean) => {
    if (count === 0) return { near: 0, mean: 0 };
    const cosines = new Float64Array(count);
    // Four sums at once, because each waits for its last addition.
    for (let centre = 0; centre < count; centre += 4) {
      let a = 0;
      let b = 0;
      let c = 0;
      let d = 0;
      for (let i = 0, at = centre * dimensions; i < dimensions; i++, at++) {
        const x = mean[i] ?? 0;
        a += x * (table[at] ?? 0);
        b += x * (table[at + dimensions] ?? 0);
        c += x * (table[at + 2 * dimensions] ?? 0);
        d += x * (table[at + 3 * dimensions] ?? 0);
      }
      // What lies beyond the last centre is not kept.
      cosines[centre] = a;
      cosines[centre + 1] = b;
      cosines[centre + 2] = c;
      cosines[centre + 3] = d;
    }
    cosines.sort();
    return { near: average(cosines.subarray(Math.max(0, count - nearest))), mean: average(cosines) };
  };
}

function average(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}
