import type { Distribution } from '../engine.ts';
import { toOffset, type Nearest, type Lesson } from './head.ts';

/** Difference of cosines that makes an example e times as near. */
const scale = 0.05;
/** As if every option had one example this near: one without any is left to the prior. */
const floorCosine = 0.3;

export const fitNearest = ({ vectors, right }: Lesson): Nearest => ({ kind: 'nearest', vectors, right });

/** Logarithm of how near the examples of each option are. */
export function nearnessOf({ vectors, right }: Nearest, vector: Float32Array, options: number): Float64Array {
  const near = new Float64Array(options).fill(Math.exp((floorCosine - 1) / scale));
  for (const [row, other] of vectors.entries()) {
    const cosine = dot(vector, other);
    const option = right[row] ?? 0;
    near[option] = (near[option] ?? 0) + Math.exp((cosine - 1) / scale);
  }
  return near.map(Math.log);
}

/** The same with the prior. */
export const nearestLogits = (learned: Nearest, vector: Float32Array, prior: Distribution): Float64Array =>
  nearnessOf(learned, vector, prior.length).map((near, option) => near + toOffset(prior[option] ?? 0));

/** Four sums at once, because each waits for its last addition. */
function dot(one: Float32Array, other: Float32Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let i = 0; i < one.length; i += 4) {
    a += (one[i] ?? 0) * (other[i] ?? 0);
    b += (one[i + 1] ?? 0) * (other[i + 1] ?? 0);
    c += (one[i + 2] ?? 0) * (other[i + 2] ?? 0);
    d += (one[i + 3] ?? 0) * (other[i + 3] ?? 0);
  }
  return a + b + c + d;
}
