import { interval } from '../evaluation/metrics.ts';
import { answersNeeded, binomialTail, exactInterval } from './binomial.ts';

/** An answer whose truth is known. */
export interface Judged {
  /** As `confidenceOf` has it. */
  readonly confidence: number;
  readonly isWrong: boolean;
}

export interface Target {
  /** Largest share of wrong answers among those that are given. */
  readonly maxError: number;
  /** Probability, over the draw of the rows, that a threshold keeps to it. */
  readonly confidence: number;
}

/** What thresholds do to the rows that they were tested on. */
export type Point = ReturnType<typeof pointOf>;

export interface Count {
  readonly answered: number;
  /** How many of these were wrong. */
  readonly errors: number;
}

/**
 * Thresholds that are tested: fixed before anything is seen, because a grid that follows the rows would have to be paid for.
 * Answers of large models crowd below 1.
 */
export const grid: readonly number[] = [
  ...Array.from({ length: 100 }, (_, index) => index / 100),
  0.995,
  0.998,
  0.999,
  0.9995,
  0.9999,
];

/**
 * Where the tests begin. From each the threshold falls while tests pass, so that no test below the first failure is
 * looked at. Engines differ in how sure they are, and a start at which too few rows are answered is lost; one that is sure of
 * whatever it says is wrong too often at 0.99 already.
 */
const starts = [0.9999, 0.998, 0.99, 0.95, 0.85, 0.7, 0.5] as const;

/** The level of each test: the starts share what may go wrong. */
const significanceOf = ({ confidence }: Target): number => (1 - confidence) / starts.length;

/** Fewest rows with which any threshold can pass. */
export const rowsNeeded = (target: Target): number => answersNeeded(target.maxError, significanceOf(target));

/**
 * The lowest threshold at which the error of what is answered stays under the target: with the target's confidence over
 * the draw of rows like those to come, for any number of rows and any engine. Null where no threshold passes.
 *
 * Learn then Test (Angelopoulos, Bates, Candès, Jordan, Lei 2021, arXiv 2110.01052): each threshold of a fixed grid is a
 * null hypothesis "the error at it is above the target", its p-value the exact binomial tail, and the family is tested in
 * fixed sequences from several starts (their section on fixed sequence testing), each with its share of the level.
 */
export function findThreshold(rows: readonly Judged[], target: Target): number | null {
  const significance = significanceOf(target);
  const passes = (threshold: number): boolean => {
    const { answered, errors } = countAt(rows, threshold);
    return answered > 0 && binomialTail(errors, answered, target.maxError) <= significance;
  };
  let lowest: number | null = null;
  for (const start of starts) {
    for (let place = grid.indexOf(start); place >= 0; place--) {
      const threshold = grid[place] ?? 0;
      if (!passes(threshold)) break;
      lowest = Math.min(lowest ?? 1, threshold);
    }
  }
  return lowest;
}

/** Coverage against error over the whole grid, from the strictest threshold on; without those that no row reaches. */
export function toCurve(rows: readonly Judged[], confidence: number) {
  return grid
    .toReversed()
    .map((threshold) => toPoint(rows, threshold, confidence))
    .filter(({ answered }, index, points) => answered > 0 && answered !== points[index - 1]?.answered);
}

export function toPoint(rows: readonly Judged[], threshold: number, confidence: number) {
  return { threshold, ...pointOf(countAt(rows, threshold), rows.length, confidence) };
}

export function pointOf({ answered, errors }: Count, rows: number, confidence: number) {
  const coverage = answered / rows;
  return {
    answered,
    errors,
    coverage,
    /** Wilson, 95 %. */
    coverageInterval: interval(coverage, rows),
    error: answered === 0 ? null : errors / answered,
    /** Clopper and Pearson, of this threshold alone. */
    errorInterval: exactInterval(errors, answered, confidence),
  };
}

function countAt(rows: readonly Judged[], threshold: number): Count {
  let [answered, errors] = [0, 0];
  for (const { confidence, isWrong } of rows) {
    if (confidence < threshold) continue;
    answered++;
    if (isWrong) errors++;
  }
  return { answered, errors };
}
