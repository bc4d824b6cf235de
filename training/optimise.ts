/**
 * Adam on a differentiable loss. `lossAt` fills `gradient` and returns the mean loss; full batches, so that the
 * result is the same each time.
 */
export function minimise(
  start: Float64Array,
  lossAt: (at: Float64Array, gradient: Float64Array) => number,
  rounds = 600,
  rate = 0.05,
): { readonly at: Float64Array; readonly loss: number } {
  const at = start.slice();
  const [first, second] = [new Float64Array(at.length), new Float64Array(at.length)];
  let loss = 0;
  for (let round = 1; round <= rounds; round++) {
    const gradient = new Float64Array(at.length);
    loss = lossAt(at, gradient);
    const step = rate * (1 - round / (rounds + 1));
    for (let i = 0; i < at.length; i++) {
      const g = gradient[i] ?? 0;
      const m = (first[i] = 0.9 * (first[i] ?? 0) + 0.1 * g);
      const v = (second[i] = 0.999 * (second[i] ?? 0) + 0.001 * g * g);
      at[i] = (at[i] ?? 0) - (step * (m / (1 - 0.9 ** round))) / (Math.sqrt(v / (1 - 0.999 ** round)) + 1e-9);
    }
  }
  return { at, loss };
}
