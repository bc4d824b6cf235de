export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** Adds a multiple of a vector to another one, in place. */
export function addScaled(into: Float64Array, vector: Float64Array, factor: number): void {
  for (let i = 0; i < into.length; i++) into[i] = (into[i] ?? 0) + factor * (vector[i] ?? 0);
}
