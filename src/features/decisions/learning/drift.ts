import type { Distribution } from '../engine.ts';

/** Answers to one question as counts, of whose content nothing is left. */
export interface Answers {
  /** By the option that is likeliest, in canonical order. */
  readonly chosen: readonly number[];
  /** By the tenth in which its probability lies. */
  readonly sure: readonly number[];
}

/** Answers of one question since its head is in use: two blocks, of which the older is complete. */
export interface Watched {
  /** Of the fit, to rows that it had not seen. */
  readonly baseline: Answers;
  readonly previous: Answers | null;
  readonly current: Answers;
  /** When it began to differ; null while it does not. Unit: ms since 1970. */
  readonly sinceMs: number | null;
}

/** How far two sets of counts lie apart. */
export interface Difference {
  /** Population stability index. */
  readonly psi: number;
  /** What it would be by chance, of so many answers to the same questions. */
  readonly psiByChance: number;
  /** Of the chi-square test of homogeneity, as a normal deviate: 4 is a chance of 1 in 30,000. */
  readonly z: number;
}

const tenths = 10;
/** Answers of a block: a window has between one and two of them. */
const blockRows = 500;
/** Fewer answers tell nothing. */
const answersMin = 200;
/** Where a question begins to differ, and below which it no longer does. Both have to be reached. */
const bounds = { begins: { z: 4, psi: 0.1 }, ends: { z: 2.5, psi: 0.05 } } as const;
/** Cells with fewer are put together: the chi-square distribution does not hold for them. */
const cellMin = 5;

export function toAnswers(distributions: Iterable<Distribution>, options: number): Answers {
  const chosen = Array.from({ length: options }, () => 0);
  const sure = Array.from({ length: tenths }, () => 0);
  for (const distribution of distributions) {
    const highest = Math.max(...distribution);
    const option = distribution.indexOf(highest);
    const tenth = Math.min(tenths - 1, Math.floor(highest * tenths));
    chosen[option] = (chosen[option] ?? 0) + 1;
    sure[tenth] = (sure[tenth] ?? 0) + 1;
  }
  return { chosen, sure };
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

export const joined = (one: Answers, other: Answers): Answers => ({
  chosen: one.chosen.map((count, at) => count + (other.chosen[at] ?? 0)),
  sure: one.sure.map((count, at) => count + (other.sure[at] ?? 0)),
});

/** With these answers more. A full block pushes out the one before it. */
export function withAnswers(watched: Watched, more: Answers, nowMs: number): Watched {
  const current = joined(watched.current, more);
  const isFull = sumOf(current.sure) >= blockRows;
  const moved = isFull
    ? { previous: current, current: toAnswers([], current.chosen.length) }
    : { previous: watched.previous, current };
  const next = { ...watched, ...moved };
  const isDrifted = differs(next, watched.sinceMs !== null);
  return { ...next, sinceMs: isDrifted ? (watched.sinceMs ?? nowMs) : null };
}

/** What is known of a question now. */
export function compareAnswers({ baseline, previous, current }: Watched) {
  const seen = previous === null ? current : joined(previous, current);
  return {
    answers: sumOf(seen.sure),
    baseline: sumOf(baseline.sure),
    choices: difference(baseline.chosen, seen.chosen),
    confidence: difference(baseline.sure, seen.sure),
  };
}

function differs(watched: Watched, wasDrifted: boolean): boolean {
  const { answers, choices, confidence } = compareAnswers(watched);
  // What has begun goes on until enough is known.
  if (answers < answersMin) return wasDrifted;
  const bound = wasDrifted ? bounds.ends : bounds.begins;
  return [choices, confidence].some(
    ({ psi, psiByChance, z }) => z >= bound.z && psi - psiByChance >= bound.psi,
  );
}

export function difference(fitted: readonly number[], seen: readonly number[]): Difference {
  const [m, n] = [sumOf(fitted), sumOf(seen)];
  if (m === 0 || n === 0) return { psi: 0, psiByChance: 0, z: 0 };
  const cells = cellsOf(fitted, seen, m, n);
  let [square, psi] = [0, 0];
  for (const [a, b] of cells) {
    square += (Math.sqrt(n / m) * a - Math.sqrt(m / n) * b) ** 2 / (a + b);
    const [p, q] = [(a + 0.5) / (m + cells.length / 2), (b + 0.5) / (n + cells.length / 2)];
    psi += (q - p) * Math.log(q / p);
  }
  const free = cells.length - 1;
  return { psi, psiByChance: free * (1 / m + 1 / n), z: free === 0 ? 0 : toDeviate(square, free) };
}

/** Counts of both by cell; those that are rare in either are one. */
function cellsOf(fitted: readonly number[], seen: readonly number[], m: number, n: number) {
  const cells: (readonly [number, number])[] = [];
  let [restFitted, restSeen] = [0, 0];
  for (const [at, a] of fitted.entries()) {
    const b = seen[at] ?? 0;
    const isRare = ((a + b) * Math.min(m, n)) / (m + n) < cellMin;
    if (isRare) [restFitted, restSeen] = [restFitted + a, restSeen + b];
    else cells.push([a, b]);
  }
  return restFitted + restSeen === 0 ? cells : [...cells, [restFitted, restSeen] as const];
}

/** Wilson and Hilferty's approximation. */
function toDeviate(square: number, free: number): number {
  const variance = 2 / (9 * free);
  return ((square / free) ** (1 / 3) - (1 - variance)) / Math.sqrt(variance);
}
