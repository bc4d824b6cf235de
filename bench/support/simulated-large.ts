import { createRandom } from '../../src/features/decisions/evaluation/sample.ts';
import type { Judged } from '../../src/features/decisions/guarantee/threshold.ts';

/** A large engine that is wrong in one answer of twelve, less often where it is sure, and surer than it should be. */
export function largeAnswers(count: number): readonly Judged[] {
  const random = createRandom(5);
  return Array.from({ length: count }, () => {
    const confidence = 1 - 0.9 * random() ** 3;
    return { confidence, isWrong: random() >= confidence + 0.6 * (1 - confidence) };
  });
}
