import fitted from './contrast.json' with { type: 'json' };

/**
 * Weighs a text against a statement and its opposite: `x (aI + U Vᵀ) (h - o)` for vectors of length 1, `x` of the text, `h`
 * and `o` of the two. What the encoder puts beside each other, because both are about feelings, a few directions tell
 * apart. Trained by `training/decider/contrast.py`.
 */
interface Contrast {
  readonly plain: number;
  readonly rank: number;
  /** Row after row, `rank` numbers for each dimension. */
  readonly u: readonly number[];
  readonly v: readonly number[];
}

const { plain, rank, u, v }: Contrast = fitted;

/** Log odds that the statement fits a text better than its opposite does. Odd: exchanging the two turns the sign. */
export function contrast(text: Float32Array, statement: Float32Array, opposite: Float32Array): number {
  return along(text, statement) - along(text, opposite);
}

/** How much a statement has of a text, beside other statements. */
export function along(text: Float32Array, statement: Float32Array): number {
  const [left, right] = [projected(text, u), projected(statement, v)];
  return plain * dot(text, statement) + dot(left, right);
}

function projected(vector: Float32Array, onto: readonly number[]): Float64Array {
  const sums = new Float64Array(rank);
  for (let i = 0, at = 0; i < vector.length; i++)
    for (let k = 0; k < rank; k++, at++) sums[k] = (sums[k] ?? 0) + (vector[i] ?? 0) * (onto[at] ?? 0);
  return sums;
}

export function dot(a: Float32Array | Float64Array, b: Float32Array | Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
