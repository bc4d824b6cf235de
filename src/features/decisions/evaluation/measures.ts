import { scoreOf } from '../answer.ts';
import type { NormalizedQuestion } from '../engine.ts';
import {
  accuracy,
  auroc,
  brier,
  chance,
  floored,
  interval,
  macroF1,
  mean,
  nll,
  percentile,
  spearman,
} from './metrics.ts';
import { ece, selectiveAccuracy } from './reliability.ts';
import type { Trial } from './run.ts';

/** Measures of the trials of one kind, or of all. Null where a measure does not apply. */
export type Measures = ReturnType<typeof toMeasures>;

/** Shares of the most confident answers. */
export const coverages = [0.25, 0.5, 0.75, 1] as const;

export function toMeasures(trials: readonly Trial[]) {
  const share = accuracy(trials);
  const latencies = trials.map(({ latencyMs }) => latencyMs);
  return {
    count: trials.length,
    accuracy: share,
    /** Wilson, 95 %. */
    accuracyInterval: interval(share, trials.length),
    chance: chance(trials),
    /** Questions of one kind that name an answer alike have it in common. */
    macroF1: macroF1(trials.map(toPair)),
    /** Unit: nats; see `nllFloor`. */
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

const toPair = ({ kind, answers: { right, chosen } }: Trial) => ({
  right: `${kind} ${right}`,
  chosen: `${kind} ${chosen}`,
});

export function ofKind(trials: readonly Trial[], kind: NormalizedQuestion['kind']): readonly Trial[] {
  return trials.filter((trial) => trial.kind === kind);
}

/** Share of choices that another order of their options changed. */
function toFlips(trials: readonly Trial[]) {
  const asked = trials.filter(({ flipped }) => flipped !== null);
  if (asked.length === 0) return null;
  return { asked: asked.length, rate: mean(asked.map(({ flipped }) => Number(flipped))) };
}

/** Coherence of nouls that were also asked denied, where `denied` is the probability of yes to the denial. */
function toNegation(trials: readonly Trial[]) {
  const pairs = trials.flatMap(({ probabilities, denied, right }) =>
    denied === null ? [] : [{ p: probabilities[0] ?? 0, denied, truth: right === 0 }],
  );
  if (pairs.length === 0) return null;
  return {
    asked: pairs.length,
    /** Mean of p + denied: 1 is coherent, more says yes too often. */
    sum: mean(pairs.map(({ p, denied }) => p + denied)),
    /** Mean of |p + denied - 1|: 0 is coherent. */
    incoherence: mean(pairs.map(({ p, denied }) => Math.abs(p + denied - 1))),
    /** Share in which the denial is less likely where the answer is yes, and more likely where it is no. */
    rightWay: mean(pairs.map(({ p, denied, truth }) => Number(truth ? denied < p : denied > p))),
  };
}

/** How well the probability of yes ranks nouls of both answers. */
function toAuroc(nouls: readonly Trial[]): number | null {
  return numberOrNull(
    auroc(
      nouls.map(({ probabilities }) => probabilities[0] ?? 0),
      nouls.map(({ right }) => right === 0),
    ),
  );
}

function toScores(trials: readonly Trial[]) {
  if (trials.length === 0) return null;
  const errors = trials.map(({ probabilities, right }) => Math.abs(scoreOf(probabilities) - right));
  // As shares of the rubric, so that rubrics of different lengths compare.
  const scale = ({ probabilities }: Trial) => Math.max(1, probabilities.length - 1);
  const correlation = spearman(
    trials.map((trial) => scoreOf(trial.probabilities) / scale(trial)),
    trials.map((trial) => trial.right / scale(trial)),
  );
  /** Unit of the error: levels. */
  return { meanAbsoluteError: mean(errors), spearman: numberOrNull(correlation) };
}

function numberOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
