import { createRandom } from '../src/features/decisions/evaluation/sample.ts';
import { pick } from './data.ts';
import { addScaled, dot } from './vectors.ts';

/** Two texts that mean the same, as rows of the table. */
export type Pair = readonly [Int32Array, Int32Array];

export interface RefinePlan {
  readonly rounds: number;
  readonly pairsAtOnce: number;
  readonly seed: number;
}

/** Sharpness of the softmax over cosines, step size, and pull back to where a word stood. */
const sharpness = 14;
const rate = 0.003;
const pull = 1;

/**
 * Moves word vectors (of length 1, changed in place) so that a definition finds the name it defines among those of
 * other pairs: a softmax over cosines of weighted means, both ways. Words that no pair holds stay.
 */
export function refineVectors(
  units: readonly Float64Array[],
  weights: Float64Array,
  drawPair: (random: () => number) => Pair,
  { rounds, pairsAtOnce, seed }: RefinePlan,
): void {
  const random = createRandom(seed);
  const movers = new Map<number, Mover>();
  for (let round = 1; round <= rounds; round++) {
    const pairs = Array.from({ length: pairsAtOnce }, () => drawPair(random));
    const lefts = pairs.map(([rows]) => toMean(rows, units, weights));
    const rights = pairs.map(([, rows]) => toMean(rows, units, weights));
    const slopes = new Map<number, Float64Array>();
    contrast(lefts, rights);
    for (const text of [...lefts, ...rights]) carry(text, weights, slopes);
    for (const [row, slope] of slopes) {
      const unit = units[row];
      if (unit === undefined) continue;
      const mover = movers.get(row) ?? createMover(unit);
      movers.set(row, mover);
      move(unit, mover, slope, pull / slopes.size, round);
    }
  }
}

interface Mean {
  readonly rows: Int32Array;
  readonly unit: Float64Array;
  readonly length: number;
  readonly slope: Float64Array;
}

function toMean(rows: Int32Array, units: readonly Float64Array[], weights: Float64Array): Mean {
  const sum = new Float64Array(units[0]?.length ?? 0);
  for (const row of rows) addScaled(sum, units[row] ?? sum, weights[row] ?? 0);
  const length = Math.max(1e-9, Math.sqrt(dot(sum, sum)));
  return { rows, unit: sum.map((x) => x / length), length, slope: new Float64Array(sum.length) };
}

/** Leaves on each mean the slope of the loss in its unit. */
function contrast(lefts: readonly Mean[], rights: readonly Mean[]): void {
  const count = lefts.length;
  const powers = new Float64Array(count * count);
  const [rows, columns] = [new Float64Array(count), new Float64Array(count)];
  lefts.forEach((left, l) => {
    rights.forEach((right, r) => {
      const power = Math.exp(sharpness * (dot(left.unit, right.unit) - 1));
      powers[l * count + r] = power;
      rows[l] = (rows[l] ?? 0) + power;
      columns[r] = (columns[r] ?? 0) + power;
    });
  });
  lefts.forEach((left, l) => {
    rights.forEach((right, r) => {
      const power = powers[l * count + r] ?? 0;
      const shares = power / (rows[l] ?? 1) + power / (columns[r] ?? 1) - (l === r ? 2 : 0);
      const slope = (sharpness * shares) / count;
      addScaled(left.slope, right.unit, slope);
      addScaled(right.slope, left.unit, slope);
    });
  });
}

function carry(
  { rows, unit, length, slope }: Mean,
  weights: Float64Array,
  slopes: Map<number, Float64Array>,
): void {
  const along = dot(slope, unit);
  for (const row of rows) {
    const into = slopes.get(row) ?? new Float64Array(unit.length);
    slopes.set(row, into);
    const factor = (weights[row] ?? 0) / length;
    addScaled(into, slope, factor);
    addScaled(into, unit, -factor * along);
  }
}

/** Where a word stood, and Adam's moments. */
interface Mover {
  readonly start: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
}

function createMover(unit: Float64Array): Mover {
  return {
    start: unit.slice(),
    first: new Float64Array(unit.length),
    second: new Float64Array(unit.length),
  };
}

/** One step of Adam. Rare words meet few rounds, so that their early steps are large; the pull bounds them. */
function move(unit: Float64Array, mover: Mover, slope: Float64Array, share: number, round: number): void {
  const { start, first, second } = mover;
  for (let i = 0; i < unit.length; i++) {
    const g = (slope[i] ?? 0) + 2 * share * ((unit[i] ?? 0) - (start[i] ?? 0));
    const m = (first[i] = 0.9 * (first[i] ?? 0) + 0.1 * g);
    const v = (second[i] = 0.99 * (second[i] ?? 0) + 0.01 * g * g);
    const step = (rate * (m / (1 - 0.9 ** round))) / (Math.sqrt(v / (1 - 0.99 ** round)) + 1e-8);
    unit[i] = (unit[i] ?? 0) - step;
  }
}

/** Draws pairs of a definition, an example or a synonym with a name, never sharing the name's own words. */
export function pairsOf(
  meanings: readonly {
    readonly names: readonly Int32Array[];
    readonly definition: Int32Array;
    readonly examples: readonly Int32Array[];
  }[],
): (random: () => number) => Pair {
  return (random) => {
    for (;;) {
      const { names, definition, examples } = pick(random, meanings);
      if (names.length === 0) continue;
      const name = pick(random, names);
      const other = pick(random, names);
      const kind = random();
      const example = examples.length > 0 && kind < 0.5 ? pick(random, examples) : null;
      const text = example ?? (other !== name && kind > 0.75 ? other : definition);
      const left = text.filter((row) => !name.includes(row));
      const right = example !== null && random() < 0.5 ? Int32Array.of(...definition, ...name) : name;
      if (left.length > 0 && right.length > 0) return [left, right];
    }
  };
}
