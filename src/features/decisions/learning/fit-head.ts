import { confidenceOf } from '../answer.ts';
import type { Distribution } from '../engine.ts';
import { toFigures } from '../evaluation/calibrate.ts';
import { mean, nllFloor, type Outcome } from '../evaluation/metrics.ts';
import { minimiseLine } from '../evaluation/minimise.ts';
import { reliabilityBins, type ReliabilityPoint } from '../evaluation/reliability.ts';
import { shuffle } from '../evaluation/sample.ts';
import { toAnswers, type Answers } from './drift.ts';
import { toDistribution, toOffset, type Learned, type Lesson } from './head.ts';
import { toConfusion } from './label-figures.ts';
import { fitLinear, linearLogits } from './linear.ts';
import { fitNearest, nearestLogits, nearnessOf } from './nearest.ts';

/** A head of one question: what was learned, and how sure it is. */
export interface Head {
  readonly learned: Learned;
  readonly temperature: number;
  /** Answers to rows that it was not fitted on; absent in what earlier versions learned. */
  readonly baseline?: Answers;
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

/**
 * Of the squared logarithm of the temperature, summed over the rows: ten that happen to be right would make answers to all
 * others far too sure. See docs/decisions.
 */
const temperaturePull = 2;

/** Of the squared weights of a regression. */
const penalties = [0.03, 0.3] as const;
/** Weight of the nearest examples beside a regression; found on train rows, see docs/decisions. */
const nearWeight = 0.4;

/** Ways to answer, from what was learned of some rows. */
type Way = (typeof ways)[number];
const ways = ['linear', 'blend', 'nearest'] as const;

function logitsOf(learned: Learned, vector: Float32Array, prior: Distribution): Float64Array {
  if (learned.kind === 'nearest') return nearestLogits(learned, vector, prior);
  if (learned.kind === 'linear') return linearLogits(learned, vector, prior);
  return blended(
    linearLogits(learned.linear, vector, prior),
    nearnessOf(learned.nearest, vector, prior.length),
  );
}

const blended = (logits: Float64Array, nearness: Float64Array): Float64Array =>
  logits.map((logit, option) => logit + nearWeight * (nearness[option] ?? 0));

export const answerOf = ({ learned, temperature }: Head, vector: Float32Array, prior: Distribution) =>
  toDistribution(logitsOf(learned, vector, prior), temperature);

/**
 * Learns a head from examples. The penalty with the lowest log loss on the first fold is tried on all, and the way that is
 * best on them taken; its temperature is that of rows that it was not fitted on. `before` are the engine's answers to rows by
 * their index, all or some of them: the head is null where it is not surely better than they are on the same rows. Yields
 * between steps; deterministic.
 */
export function* fitHead(
  lesson: Lesson,
  before: ReadonlyMap<number, Distribution> = new Map(lesson.priors.entries()),
): Generator<void, { readonly head: Head | null; readonly report: HeadFit | null }> {
  if (lesson.right.length < rowsMin || new Set(lesson.right).size < 2) return { head: null, report: null };
  const folds = foldsOf(lesson.right);
  let first: { readonly penalty: number; readonly rows: readonly HeldOut[]; readonly loss: number } | null =
    null;
  for (const penalty of penalties) {
    const rows = yield* predictFold(lesson, folds, 0, penalty);
    const { loss } = bestOf(rows);
    if (first === null || loss < first.loss) first = { penalty, rows, loss };
  }
  if (first === null) return { head: null, report: null };
  const heldOut = [...first.rows];
  for (let fold = 1; fold < foldCount; fold++)
    heldOut.push(...(yield* predictFold(lesson, folds, fold, first.penalty)));
  const { way, temperature } = bestOf(heldOut);
  const after = heldOut.map(({ row, right, logits }) => ({ row, right, logits: logits[way] }));
  const report = judge(lesson, before, after, temperature, way);
  if (!report.taken) return { head: null, report };
  const learned = yield* learnedBy(way, lesson, first.penalty);
  const unseen = after.map(({ logits }) => toDistribution(logits, temperature));
  return { head: { learned, temperature, baseline: toAnswers(unseen, lesson.options) }, report };
}

function* learnedBy(way: Way, lesson: Lesson, penalty: number): Generator<void, Learned> {
  const nearest = fitNearest(lesson);
  if (way === 'nearest') return nearest;
  const linear = yield* fitLinear(lesson, penalty);
  return way === 'linear' ? linear : { kind: 'blend', linear, nearest };
}

/** What a row was answered by heads that were fitted on the other folds. */
interface HeldOut {
  readonly row: number;
  readonly right: number;
  readonly logits: Readonly<Record<Way, Float64Array>>;
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
  penalty: number,
): Generator<void, readonly HeldOut[]> {
  const isOther = (_: unknown, row: number) => folds[row] !== fold;
  const others = {
    ...lesson,
    vectors: lesson.vectors.filter(isOther),
    priors: lesson.priors.filter(isOther),
    right: lesson.right.filter(isOther),
  };
  const learned = yield* fitLinear(others, penalty);
  const examples = fitNearest(others);
  const rows: HeldOut[] = [];
  for (const [row, right] of lesson.right.entries()) {
    const [vector, prior] = [lesson.vectors[row], lesson.priors[row]];
    if (folds[row] !== fold || vector === undefined || prior === undefined) continue;
    const linear = linearLogits(learned, vector, prior);
    const nearness = nearnessOf(examples, vector, prior.length);
    const nearest = nearness.map((near, option) => near + toOffset(prior[option] ?? 0));
    rows.push({ row, right, logits: { linear, nearest, blend: blended(linear, nearness) } });
    yield;
  }
  return rows;
}

/** The way with the lowest log loss at its own temperature. */
function bestOf(rows: readonly HeldOut[]) {
  const tried = ways.map((way) => {
    const own = rows.map(({ right, logits }) => ({ right, logits: logits[way] }));
    const lossOfLog = (log: number) => lossAt(own, Math.exp(log)) + (temperaturePull / own.length) * log ** 2;
    const temperature = Math.exp(minimiseLine(lossOfLog, range, 1e-4));
    return { way, temperature, loss: lossAt(own, temperature) };
  });
  return tried.reduce((best, one) => (one.loss < best.loss ? one : best));
}

interface Predicted {
  readonly right: number;
  readonly logits: Float64Array;
}

function lossAt(rows: readonly Predicted[], temperature: number): number {
  let sum = 0;
  for (const { logits, right } of rows) {
    let [highest, total] = [Number.NEGATIVE_INFINITY, 0];
    for (const logit of logits) highest = Math.max(highest, logit);
    for (const logit of logits) total += Math.exp((logit - highest) / temperature);
    sum += Math.min(Math.log(total) + (highest - (logits[right] ?? 0)) / temperature, -Math.log(nllFloor));
  }
  return sum / rows.length;
}

const lossOf = (distribution: Distribution, right: number): number =>
  -Math.log(Math.max(nllFloor, distribution[right] ?? 0));

/** Compares on the rows of which both are known. */
function judge(
  lesson: Lesson,
  before: ReadonlyMap<number, Distribution>,
  heldOut: readonly (Predicted & { readonly row: number })[],
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
  const figures = { before: was, after: now, heldOut: toFigures(after) };
  return {
    kind,
    taken,
    rows: lesson.right.length,
    ...figures,
    confusion: toConfusion(after),
    /** Of all examples, each answered by what the others teach. */
    judged: after.map(({ probabilities, right, chosen }) => ({
      confidence: confidenceOf(lesson.kind, probabilities),
      isWrong: chosen !== right,
    })),
    reliability: toReliability(after),
  };
}

const reliabilityBinsMax = 10;

/** How often answers of about one confidence are right, from the least to the most sure. */
function toReliability(outcomes: readonly Outcome[]): readonly ReliabilityPoint[] {
  return reliabilityBins(outcomes, reliabilityBinsMax).flatMap(({ confidence, accuracy, count }) =>
    confidence === null || accuracy === null ? [] : [{ confidence, accuracy, examples: count }],
  );
}

function toOutcome(probabilities: Distribution, right: number): Outcome {
  return { probabilities, right, chosen: probabilities.indexOf(Math.max(...probabilities)) };
}
