/**
 * The lowest place of a function with one valley between two bounds, by golden section. Deterministic; ends when the
 * bracket is narrower than `tolerance`.
 */
export function minimiseLine(
  valueAt: (at: number) => number,
  [low, high]: readonly [number, number],
  tolerance = 1e-6,
): number {
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [left, right] = [low, high];
  let [a, b] = [right - ratio * (right - left), left + ratio * (right - left)];
  let [atA, atB] = [valueAt(a), valueAt(b)];
  while (right - left > tolerance) {
    if (atA <= atB) {
      [right, b, atB] = [b, a, atA];
      a = right - ratio * (right - left);
      atA = valueAt(a);
    } else {
      [left, a, atA] = [a, b, atB];
      b = left + ratio * (right - left);
      atB = valueAt(b);
    }
  }
  return (left + right) / 2;
}

export type Point = readonly [number, number];

/**
 * A low place of a function of two numbers inside a square, by a search along a pattern that halves its step where no
 * neighbour is lower. Slower than a gradient, but it needs none, cannot diverge and gives the same on every machine.
 */
export function minimisePlane(
  valueAt: (at: Point) => number,
  start: Point,
  [low, high]: readonly [number, number],
): Point {
  const clamp = (value: number) => Math.min(Math.max(value, low), high);
  let [best, lowest, size] = [start, valueAt(start), 0.5];
  while (size > 1e-4) {
    const [x, y] = best;
    const around = directions.map(([dx, dy]): Point => [clamp(x + dx * size), clamp(y + dy * size)]);
    const found = around.map((point) => ({ point, value: valueAt(point) }));
    const lower = found.reduce((a, b) => (b.value < a.value ? b : a));
    if (lower.value < lowest) [best, lowest] = [lower.point, lower.value];
    else size /= 2;
  }
  return best;
}

const directions: readonly Point[] = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
  [1, 1],
  [-1, -1],
  [1, -1],
  [-1, 1],
];
