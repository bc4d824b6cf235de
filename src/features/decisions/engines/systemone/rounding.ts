import type { Distribution } from '../../engine.ts';

/** Distance of a sum from 1 that is always accepted, because some servers truncate instead of rounding. */
const sumTolerance = 0.02;

/** The coarsest rounding that is accepted. */
const decimalsMin = 2;

/** Room for the arithmetic itself. */
const noise = 1e-9;

/**
 * The distribution that a server rounded to these numbers, or null when none does. A number with d decimals
 * stands for any within half a step of 10^-d, so twelve equal options arrive as 0.08 and sum to 0.96.
 *
 * What rounding removed is added in equal parts, and what it added is removed from the options above 0. Scaling
 * instead would turn one 0.01 among 254 zeros, which is nearly even, into a certainty.
 */
export function unrounded(rounded: readonly number[]): Distribution | null {
  const sum = total(rounded);
  const half = 0.5 * 10 ** -Math.max(decimalsMin, ...rounded.map(decimalsOf));
  if (sum === 0 || !(Math.abs(sum - 1) <= sumTolerance || canBeRounded(rounded, half))) return null;
  const moved = sum < 1 ? rounded : rounded.filter((value) => value > 0);
  const step = clamp((1 - sum) / moved.length, half);
  const values = rounded.map((value) => (sum < 1 || value > 0 ? Math.max(0, value + step) : 0));
  const scale = total(values);
  return values.map((value) => value / scale);
}

/** Whether some distribution rounds to these numbers. */
function canBeRounded(rounded: readonly number[], half: number): boolean {
  const least = total(rounded.map((value) => Math.max(0, value - half)));
  const most = total(rounded.map((value) => Math.min(1, value + half)));
  return least <= 1 + noise && most >= 1 - noise;
}

/** How many decimals a number is written with: 2 for 0.08, 7 for 1e-7. */
function decimalsOf(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function clamp(value: number, bound: number): number {
  return Math.min(Math.max(value, -bound), bound);
}
