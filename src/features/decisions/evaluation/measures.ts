import { scoreOf } from '../answer.ts';
import type { NormalizedQuestion } from '../normalized-question.ts';
import { accuracy, brier, chance, floored, interval, mean, nll, percentile } from './metrics.ts';
import { auroc, spearman } from './ranks.ts';
import { ece, selectiveAccuracy } from './reliability.ts';
import type { Trial } from './run.ts';

/** What is told of the trials of one kind, or of all. Null is what cannot be told of them. */
export interface Measures {
  readonly count: number;
  readonly accuracy: number;
  /** Wilson, 95 %. */
  readonly accuracyInterval: readonly [low: number, high: number];
  readonly chance: number;
  /** Unit: nats; see `nllFloor`. */
  readonly nll: number;
  /** Right options that were given no more than the floor. */
  readonly floored: number;
  readonly brier: number;
  readonly ece: number;
  readonly selective: readonly { readonly coverage: number; readonly accuracy: number }[];
  readonly latencyMs: { readonly p50: number; readonly p95: number; readonly p99: number };
  /** Choices that another order of the options changed. */
  readonly orderFlips: { readonly asked: number; readonly rate: number } | null;
  /** Nouls that were also asked denied. */
  readonly negation: Negation | null;
  /** Nouls of both answers: how well p(yes) ranks them. */
  readonly auroc: number | null;
  readonly scores: Scores | null;
}

export interface Negation {
  readonly asked: number;
  /** Mean of |p + p' - 1|, where p' is the probability of yes to the denial: 0 is coherent. */
  readonly incoherence: number;
  /** Share in which the denial is less likely where the answer is yes, and more likely where it is no. */
  readonly rightWay: number;
}

export interface Scores {
  /** Mean distance of the score from the right level. Unit: levels. */
  readonly meanAbsoluteError: number;
  /** Rank correlation of score and right level, both as shares of the rubric; null where one is all the same. */
  readonly spearman: number | null;
}

const coverages = [0.25, 0.5, 0.75, 1] as const;

export function toMeasures(trials: readonly Trial[]): Measures {
  const share = accuracy(trials);
  const latencies = trials.map(({ latencyMs }) => latencyMs);
  return {
    count: trials.length,
    accuracy: share,
    accuracyInterval: interval(share, trials.length),
    chance: chance(trials),
    nll: nll(trials),
    floored: floored(trials),
    brier: brier(trials),
    ece: ece(trials),
    selective: coverages.map((coverage) => ({ coverage, accuracy: selectiveAccuracy(trials, coverage) })),
    latencyMs: {
      p50: percentile(latencies, 0.5),
      p95: percentile(latencies, 0.95),
      p99: percentile(latencies, 0.99),
    },
    orderFlips: toFlips(trials),
    negation: toNegation(trials),
    auroc: toAuroc(ofKind(trials, 'noul')),
    scores: toScores(ofKind(trials, 'score')),
  };
}

export function ofKind(trials: readonly Trial[], kind: NormalizedQuestion['kind']): readonly Trial[] {
  return trials.filter((trial) => trial.kind === kind);
}

function toFlips(trials: readonly Trial[]): Measures['orderFlips'] {
  const asked = trials.filter(({ flipped }) => flipped !== null);
  if (asked.length === 0) return null;
  return { asked: asked.length, rate: mean(asked.map(({ flipped }) => Number(flipped))) };
}

function toNegation(trials: readonly Trial[]): Negation | null {
  const pairs = trials.flatMap(({ probabilities, denied, right }) =>
    denied === null ? [] : [{ p: probabilities[0] ?? 0, denied, truth: right === 0 }],
  );
  if (pairs.length === 0) return null;
  return {
    asked: pairs.length,
    incoherence: mean(pairs.map(({ p, denied }) => Math.abs(p + denied - 1))),
    rightWay: mean(pairs.map(({ p, denied, truth }) => Number(truth ? denied < p : denied > p))),
  };
}

function toAuroc(nouls: readonly Trial[]): number | null {
  return numberOrNull(
    auroc(
      nouls.map(({ probabilities }) => probabilities[0] ?? 0),
      nouls.map(({ right }) => right === 0),
    ),
  );
}

function toScores(trials: readonly Trial[]): Scores | null {
  if (trials.length === 0) return null;
  const errors = trials.map(({ probabilities, right }) => Math.abs(scoreOf(probabilities) - right));
  // Rubrics of different lengths are compared by how far up an answer stands.
  const scale = ({ probabilities }: Trial) => Math.max(1, probabilities.length - 1);
  const correlation = spearman(
    trials.map((trial) => scoreOf(trial.probabilities) / scale(trial)),
    trials.map((trial) => trial.right / scale(trial)),
  );
  return { meanAbsoluteError: mean(errors), spearman: numberOrNull(correlation) };
}

function numberOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
