import type { Distribution } from '../engine.ts';
import { toFigures } from '../evaluation/calibrate.ts';
import { mean, nllFloor, type Outcome } from '../evaluation/metrics.ts';
import { minimiseLine } from '../evaluation/minimise.ts';
import { shuffle } from '../evaluation/sample.ts';
import { toDistribution, type Learned, type Lesson } from './head.ts';
import { fitLinear, linearLogits } from './linear.ts';
import { fitNearest, nearestLogits } from './nearest.ts';

/** A head of one question: what was learned, and how sure it is. */
export interface Head {
  readonly learned: Learned;
  readonly temperature: number;
}

export type HeadFit = Extract<ReturnType<typeof judge>, object>;

const foldCount = 5;
const foldSeed = 1;
/** Fewer rows leave two in a fold, and nothing can be told from them. */
export const rowsMin = 10;
/** How surely the log loss has to fall: one sided, 95 %. */
const standardErrors = 1.645;
/** Range of the temperature, as logarithms: folds of few rows would make it anything. */
const range = [Math.log(0.2), Math.log(5)] as const;

/** Ways to learn, and their penalties. */
const ways: readonly ((lesson: Lesson) => Generator<void, Learned>)[] = [
  function* (lesson) {
    yield;
    return fitNearest(lesson);
  },
  (lesson) => fitLinear(lesson, 0.03),
  (lesson) => fitLinear(lesson, 0.3),
];

export const logitsOf = (learned: Learned, vector: Float32Array, prior: Distribution): Float64Array =>
  learned.kind === 'linear' ? linearLogits(learned, vector, prior) : nearestLogits(learned, vector, prior);

export const answerOf = ({ learned, temperature }: Head, vector: Float32Array, prior: Distribution) =>
  toDistribution(logitsOf(learned, vector, prior), temperature);

/**
 * Learns a head from examples. The way with the lowest log loss on the first fold is tried on all; its temperature is that of
 * rows that it was not fitted on. `before` are the engine's answers to rows by their index, all or some of them: the head is null where it is
 * not surely better than they are on the same rows. Yields between steps; deterministic.
 */
export function* fitHead(
  lesson: Lesson,
  before: ReadonlyMap<number, Distribution> = new Map(lesson.priors.entries()),
): Generator<void, { readonly head: Head | null; readonly report: HeadFit | null }> {
  if (lesson.right.length < rowsMin || new Set(lesson.right).size < 2) return { head: null, report: null };
  const folds = foldsOf(lesson.right);
  let best: {
    readonly way: (typeof ways)[number];
    readonly first: readonly HeldOut[];
    readonly loss: number;
  } | null = null;
  for (const way of ways) {
    const first = yield* predictFold(lesson, folds, 0, way);
    const loss = lossAt(first, temperatureFor(first));
    if (best === null || loss < best.loss) best = { way, first, loss };
  }
  if (best === null) return { head: null, report: null };
  const { way } = best;
  const heldOut = [...best.first];
  for (let fold = 1; fold < foldCount; fold++)
    heldOut.push(...(yield* predictFold(lesson, folds, fold, way)));
  const temperature = temperatureFor(heldOut);
  const learned = yield* way(lesson);
  const report = judge(lesson, before, heldOut, temperature, learned.kind);
  return { head: report.taken ? { learned, temperature } : null, report };
}

/** What a row was answered by a head that was fitted on the other folds. */
interface HeldOut {
  readonly row: number;
  readonly right: number;
  readonly logits: Float64Array;
}

/** The fold of each row; each option's rows are spread over all. */
function foldsOf(right: readonly number[]): readonly number[] {
  const folds = right.map(() => 0);
  const shuffled = shuffle([...right.keys()], foldSeed).toSorted((a, b) => (right[a] ?? 0) - (right[b] ?? 0));
  for (const [place, row] of shuffled.entries()) folds[row] = place % foldCount;
  return folds;
}

function* predictFold(
  lesson: Lesson,
  folds: readonly number[],
  fold: number,
  way: (typeof ways)[number],
): Generator<void, readonly HeldOut[]> {
  const isOther = (_: unknown, row: number) => folds[row] !== fold;
  const learned = yield* way({
    options: lesson.options,
    vectors: lesson.vectors.filter(isOther),
    priors: lesson.priors.filter(isOther),
    right: lesson.right.filter(isOther),
  });
  return lesson.right.flatMap((right, row) => {
    const [vector, prior] = [lesson.vectors[row], lesson.priors[row]];
    if (folds[row] !== fold || vector === undefined || prior === undefined) return [];
    return [{ row, right, logits: logitsOf(learned, vector, prior) }];
  });
}

const temperatureFor = (rows: readonly HeldOut[]): number =>
  Math.exp(minimiseLine((log) => lossAt(rows, Math.exp(log)), range, 1e-4));

function lossAt(rows: readonly HeldOut[], temperature: number): number {
  return mean(rows.map(({ logits, right }) => lossOf(toDistribution(logits, temperature), right)));
}

const lossOf = (distribution: Distribution, right: number): number =>
  -Math.log(Math.max(nllFloor, distribution[right] ?? 0));

/** Compares on the rows of which both are known. */
function judge(
  lesson: Lesson,
  before: ReadonlyMap<number, Distribution>,
  heldOut: readonly HeldOut[],
  temperature: number,
  kind: Learned['kind'],
) {
  const after = heldOut.map(({ row, right, logits }) => {
    const probabilities = toDistribution(logits, temperature);
    return { row, ...toOutcome(probabilities, right) };
  });
  const pairs = after.flatMap(({ row, ...now }) => {
    const was = before.get(row);
    return was === undefined ? [] : [{ now, was: toOutcome(was, now.right) }];
  });
  const gains = pairs.map(
    ({ now, was }) => lossOf(was.probabilities, was.right) - lossOf(now.probabilities, now.right),
  );
  const gain = mean(gains);
  const error = Math.sqrt(mean(gains.map((one) => (one - gain) ** 2)) / gains.length);
  const [was, now] = [toFigures(pairs.map((pair) => pair.was)), toFigures(pairs.map((pair) => pair.now))];
  const taken = now.accuracy >= was.accuracy && gain > standardErrors * error;
  return { kind, taken, rows: lesson.right.length, before: was, after: now, heldOut: toFigures(after) };
}

function toOutcome(probabilities: Distribution, right: number): Outcome {
  return { probabilities, right, chosen: probabilities.indexOf(Math.max(...probabilities)) };
}
