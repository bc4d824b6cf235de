import { toOffset, type Learned, type Lesson } from './head.ts';

type Nearest = Extract<Learned, { readonly kind: 'nearest' }>;

/** Difference of cosines that makes an example e times as near. */
const scale = 0.05;
/** As if every option had one example this near: one without any is left to the prior. */
const floorCosine = 0.3;

export const fitNearest = ({ vectors, right }: Lesson): Nearest => ({ kind: 'nearest', vectors, right });

/** Logarithm of how near the examples of each option are, and the prior. */
export function nearestLogits({ vectors, right }: Nearest, vector: Float32Array, prior: readonly number[]) {
  const near = new Float64Array(prior.length).fill(Math.exp((floorCosine - 1) / scale));
  for (const [row, other] of vectors.entries()) {
    let cosine = 0;
    for (let i = 0; i < vector.length; i++) cosine += (vector[i] ?? 0) * (other[i] ?? 0);
    const option = right[row] ?? 0;
    near[option] = (near[option] ?? 0) + Math.exp((cosine - 1) / scale);
  }
  return near.map((sum, option) => Math.log(sum) + toOffset(prior[option] ?? 0));
}
