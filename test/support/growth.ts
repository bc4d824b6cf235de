import assert from 'node:assert/strict';
import { roundsOf } from './rounds.ts';

/** Pieces that the work is parted into: together they cost as much as the whole, or an eighth of it where cost is quadratic. */
const pieces = 8;
const ratioMax = 3;
/** Above the ticks in which systems count CPU time; an exponential cost shows before it is paid. Unit: µs. */
const enoughUs = 1_000 * roundsOf(20, 60);
/** Runs where the ratio looks high: one collection of garbage in a short run looks like growth. */
const runsMax = 8;
/** One run is enough below it: a quadratic cost would have to look five times as cheap. */
const clearRatio = 1.6;
/** Up to this size the cost may be exponential, so it grows in small steps. */
const smallSize = 256;

/** Checks that work costs in proportion to its size, or is cheap at `sizeMax`. */
export function assertLinear<Input>(
  name: string,
  make: (size: number) => Input,
  work: (input: Input) => unknown,
  sizeMax = 1_048_576,
): void {
  const ratio = growthOf(make, work, sizeMax);
  assert.ok(ratio < ratioMax, `${name}: ${pieces} times as much costs ${(ratio * pieces).toFixed(0)} times`);
}

export function isLinear<Input>(
  make: (size: number) => Input,
  work: (input: Input) => unknown,
  sizeMax: number,
): boolean {
  return growthOf(make, work, sizeMax) < ratioMax;
}

/**
 * What one input costs beside eight of an eighth of its size: about 1 where cost is linear. CPU times of this process are
 * compared, which what else runs on the machine does not change. The size grows until it takes long enough to be measured.
 */
function growthOf<Input>(
  make: (size: number) => Input,
  work: (input: Input) => unknown,
  sizeMax: number,
): number {
  let size = pieces;
  while (size < sizeMax && costOf([make(size)], work) < enoughUs)
    size = Math.min(sizeMax, Math.ceil(size * (size < smallSize ? 1.25 : 2)));
  // Inputs of their own: engines remember what they split or matched.
  let whole = Infinity;
  let parted = Infinity;
  let ratio = Infinity;
  for (let run = 1; run <= runsMax && (run < 3 ? ratio >= clearRatio : ratio >= ratioMax); run++) {
    // Three times as much as twice the most that is allowed is no accident.
    if (run > 3 && ratio >= 2 * ratioMax) break;
    whole = Math.min(whole, costOf([make(size)], work));
    if (whole < enoughUs / 3) return 0;
    const pieceInputs = Array.from({ length: pieces }, () => make(Math.floor(size / pieces)));
    parted = Math.min(parted, costOf(pieceInputs, work));
    ratio = whole / Math.max(parted, 1_000);
  }
  return ratio;
}

/** Unit: µs. */
export function costOf<Input>(inputs: readonly Input[], work: (input: Input) => unknown): number {
  const before = process.cpuUsage();
  for (const input of inputs) work(input);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
