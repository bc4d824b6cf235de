/**
 * Adam on a differentiable loss, with steps that fade to nothing. `lossAt` adds onto `gradient` and returns the
 * mean loss; a batch that it draws has to come from a seeded source. `rates` is one step size, or one per number.
 */
export function minimise(
  start: Float64Array,
  lossAt: (at: Float64Array, gradient: Float64Array) => number,
  rounds = 600,
  rates: number | Float64Array = 0.05,
): { readonly at: Float64Array; readonly loss: number } {
  const at = start.slice();
  const [first, second] = [new Float64Array(at.length), new Float64Array(at.length)];
  let loss = 0;
  for (let round = 1; round <= rounds; round++) {
    const gradient = new Float64Array(at.length);
    loss = lossAt(at, gradient);
    const fade = 1 - round / (rounds + 1);
    for (let i = 0; i < at.length; i++) {
      const g = gradient[i] ?? 0;
      const m = (first[i] = 0.9 * (first[i] ?? 0) + 0.1 * g);
      const v = (second[i] = 0.999 * (second[i] ?? 0) + 0.001 * g * g);
      const step = fade * (typeof rates === 'number' ? rates : (rates[i] ?? 0));
      at[i] = (at[i] ?? 0) - (step * (m / (1 - 0.9 ** round))) / (Math.sqrt(v / (1 - 0.999 ** round)) + 1e-9);
    }
  }
  return { at, loss };
}
