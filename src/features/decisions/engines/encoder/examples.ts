import type { Distribution, NormalizedQuestion } from '../../engine.ts';
import { softmax } from '../../order.ts';
import { dot } from './contrast.ts';
import { meanOf } from './features.ts';

/**
 * Chosen on draws of BANKING77 (2, 4 and 10 options; 1, 3 and 5 examples of each, or of half of them) by log loss, among those
 * with which no setting was right less often than without examples. `npm run bench examples` judges them on CLINC150 as well.
 */
const fitted = {
  /** Difference of cosines that makes an example e times as near. */
  scale: 0.07,
  /** An example this near says nothing, and so does an option without one. */
  floor: 0.5,
  /** Weight of the log probabilities without examples. */
  prior: 0.7,
} as const;

/** A prior of zero would forbid what examples say. */
const priorMin = 1e-4;

/**
 * Joins what is answered without examples with how near the nearest example of each option is to the state, of which `windows`
 * are read. All vectors have the length 1.
 */
export function joinExamples(
  { options, examples = [] }: NormalizedQuestion,
  zeroShot: Distribution,
  windows: readonly Float32Array[],
  vectors: ReadonlyMap<string, Float32Array>,
): Distribution {
  const { scale, floor, prior } = fitted;
  const nearest = new Map<string, number>();
  const state = meanOf(windows);
  for (const { text, answer } of examples) {
    const cosine = dot(state, vectors.get(text) ?? state.map(() => 0));
    nearest.set(answer, Math.max(cosine, nearest.get(answer) ?? -1));
  }
  const logits = options.map(({ name }, option) => {
    const near = Math.exp(((nearest.get(name) ?? floor) - floor) / scale);
    return Math.log(1 + near) + prior * Math.log(Math.max(priorMin, zeroShot[option] ?? 0));
  });
  return softmax(logits, 1);
}
