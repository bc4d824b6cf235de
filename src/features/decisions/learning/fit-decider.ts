import type { Caller } from '../../../kernel/kit/caller.ts';
import { runInSlices } from '../../../kernel/kit/slices.ts';
import { quote } from '../../../kernel/kit/text.ts';
import type { DecisionEngine, Features, NormalizedQuestion } from '../engine.ts';
import type { Figures } from '../evaluation/calibrate.ts';
import { findThreshold, rowsNeeded, toPoint, type Target } from '../guarantee/threshold.ts';
import type { ReliabilityPoint } from '../evaluation/reliability.ts';
import type { Head, HeadFit } from './fit-head.ts';
import type { FitInThread } from './fit-threads.ts';
import { toLabelReport, type LabelReport } from './label-figures.ts';
import { prepareLesson } from './learn.ts';
import type { VectorsKept } from './read-states.ts';
import { toLessons, type KeptCase, type KeptExample } from './lessons.ts';

/** A decider that examples teach. */
export interface Pupil {
  /** Its engine with its steps, without what it learned. */
  readonly plain: DecisionEngine;
  /** As it answers now. */
  readonly current: DecisionEngine;
  readonly features: Features;
  /** What it learned before. */
  readonly heads: ReadonlyMap<string, Head>;
  /** Ordinal of the last example that it learned from; 0 where it learned nothing. */
  readonly learnedTo: number;
}

/** What came of the examples of one question. */
export interface QuestionReport {
  /** Its `questionKey`. */
  readonly question: string;
  readonly kind: NormalizedQuestion['kind'];
  /** The beginning of its instructions. */
  readonly instructions: string;
  readonly examples: number;
  /** The kind of head; null where none was surely better. */
  readonly taken: HeadFit['kind'] | null;
  /** Null where there are too few examples, or all have one answer. */
  readonly figures: Readonly<Record<'before' | 'after' | 'heldOut', Figures>> | null;
  /** Absent where there are no figures, and in reports of earlier versions. */
  readonly byLabel?: LabelReport;
  /** Likewise; over all examples, each answered by what the others teach. */
  readonly reliability?: readonly ReliabilityPoint[];
  /** Absent where no bound was asked for, and where nothing was taken. */
  readonly bound?: Bound;
}

/** From which confidence on what was learned keeps to a bound on the error, of all examples as the others teach them. */
export interface Bound extends Target {
  /** Null where no confidence does. */
  readonly threshold: number | null;
  /** Of the examples at it. */
  readonly answered: number;
  readonly errors: number;
  /** Fewest examples with which any confidence can. */
  readonly needed: number;
}

export interface FitReport {
  readonly examples: number;
  readonly questions: readonly QuestionReport[];
}

export interface Fitted {
  /** Those that were taken now, and those of before that no better ones replace. */
  readonly heads: ReadonlyMap<string, Head>;
  readonly isTaken: boolean;
  readonly report: FitReport;
}

const instructionsMax = 200;

/**
 * Learns a head for each question of the examples. What one has to be better than is what the decider answered before it
 * knew the example: to one that the fit in use learned from, as it was without it.
 */
export async function fitDecider(
  { plain, current, features, heads: known, learnedTo }: Pupil,
  kept: readonly KeptExample[],
  { fit, vectors }: { readonly fit: FitInThread; readonly vectors: VectorsKept<KeptCase> },
  caller: Caller,
  target: Target | null = null,
): Promise<Fitted> {
  const lessons = await runInSlices(toLessons(kept), caller.signal);
  const heads = new Map(known);
  const questions: QuestionReport[] = [];
  for (const [key, cases] of lessons) {
    const before = ({ ordinal }: KeptCase) => (ordinal > learnedTo ? current : plain);
    const { head, report } = await fit(await prepareLesson(before, features, cases, caller, vectors), caller);
    if (head !== null) heads.set(key, head);
    questions.push(toReport(key, cases, report, target));
  }
  const isTaken = questions.some(({ taken }) => taken !== null);
  return { heads, isTaken, report: { examples: kept.length, questions } };
}

function toReport(
  key: string,
  cases: readonly KeptCase[],
  report: HeadFit | null,
  target: Target | null,
): QuestionReport {
  const [first] = cases;
  const labels = first && report && { byLabel: toLabelReport(first.question, report.confusion) };
  return {
    question: key,
    kind: first?.question.kind ?? 'choice',
    instructions: quote(first?.question.question ?? '', instructionsMax),
    examples: cases.length,
    taken: report?.taken === true ? report.kind : null,
    figures: report && { before: report.before, after: report.after, heldOut: report.heldOut },
    ...labels,
    ...(report && { reliability: report.reliability }),
    ...(target !== null && report?.taken === true && { bound: toBound(report.judged, target) }),
  };
}

function toBound(rows: HeadFit['judged'], target: Target): Bound {
  const threshold = findThreshold(rows, target);
  const { answered, errors } = threshold === null ? none : toPoint(rows, threshold, target.confidence);
  return { ...target, threshold, answered, errors, needed: rowsNeeded(target) };
}

const none = { answered: 0, errors: 0 };
