/** Value of a function at a place, whose slope is written into `slope`. It yields between steps. */
export type Sloped = (at: Float64Array, slope: Float64Array) => Generator<void, number>;

interface Step {
  readonly moved: Float64Array;
  readonly turned: Float64Array;
  readonly scale: number;
}

/** Steps that are remembered for the curvature. */
const memoryMax = 6;
const halvingsMax = 12;

/**
 * Goes downhill for a number of steps (L-BFGS with halved steps) and ends early where no step leads lower. The start is
 * not changed. Deterministic.
 */
export function* minimiseSlope(
  start: Float64Array,
  valueAt: Sloped,
  steps: number,
): Generator<void, Float64Array> {
  let place: Float64Array = start.slice();
  let slope: Float64Array = new Float64Array(place.length);
  let value = yield* valueAt(place, slope);
  const memory: Step[] = [];
  for (let step = 0; step < steps; step++) {
    const direction = downhill(slope, memory);
    const gain = dot(direction, slope);
    let size = step === 0 ? 1 / Math.max(1, Math.sqrt(-gain)) : 1;
    let found = false;
    for (let halving = 0; halving < halvingsMax && !found; halving++, size /= 2) {
      const next = place.map((x, i) => x + size * (direction[i] ?? 0));
      const nextSlope = new Float64Array(place.length);
      const lower = yield* valueAt(next, nextSlope);
      if (!(lower <= value + 1e-4 * size * gain)) continue;
      remember(memory, next, place, nextSlope, slope);
      [place, slope, value, found] = [next, nextSlope, lower, true];
    }
    if (!found) break;
  }
  return place;
}

function remember(
  memory: Step[],
  to: Float64Array,
  from: Float64Array,
  slopeTo: Float64Array,
  slopeFrom: Float64Array,
): void {
  const moved = to.map((x, i) => x - (from[i] ?? 0));
  const turned = slopeTo.map((x, i) => x - (slopeFrom[i] ?? 0));
  const product = dot(moved, turned);
  // Without positive curvature the step says nothing of the shape.
  if (product <= 1e-12) return;
  memory.push({ moved, turned, scale: 1 / product });
  if (memory.length > memoryMax) memory.shift();
}

/** Nocedal's two loops. */
function downhill(slope: Float64Array, memory: readonly Step[]): Float64Array {
  const direction = slope.map((x) => -x);
  const shares: number[] = [];
  for (const { moved, turned, scale } of memory.toReversed()) {
    const share = scale * dot(moved, direction);
    shares.push(share);
    add(direction, turned, -share);
  }
  const last = memory.at(-1);
  if (last !== undefined) {
    const shrink = 1 / (last.scale * dot(last.turned, last.turned));
    for (let i = 0; i < direction.length; i++) direction[i] = (direction[i] ?? 0) * shrink;
  }
  for (const { moved, turned, scale } of memory)
    add(direction, moved, (shares.pop() ?? 0) - scale * dot(turned, direction));
  return direction;
}

function add(into: Float64Array, what: Float64Array, times: number): void {
  for (let i = 0; i < into.length; i++) into[i] = (into[i] ?? 0) + times * (what[i] ?? 0);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
