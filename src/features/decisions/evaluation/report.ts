import { PROMPT_VERSION } from '../prompt.ts';
import type { NormalizedQuestion } from '../normalized-question.ts';
import { mean, percentile } from './metrics.ts';
import { ofKind, toMeasures, type Measures } from './measures.ts';
import { reliabilityBins, type Bin } from './reliability.ts';
import type { Run } from './run.ts';

/** What the caller of a run knows of it. */
export interface Subject {
  readonly engine: string;
  /** Names of the files as the user gave them. */
  readonly files: readonly string[];
  /** What the steps around the engine were, in words. */
  readonly steps: string;
  readonly concurrency: number;
  /** When the run began, ISO 8601. */
  readonly startedAt: string;
  /** Mass that the engine told, one number for each question that it evaluated. */
  readonly labelMasses: readonly number[];
}

/** Everything that an evaluation tells; `report.json` is this. Figures in [0, 1] unless they say otherwise. */
export interface Report extends Omit<Subject, 'labelMasses'> {
  readonly version: 1;
  readonly promptVersion: number;
  readonly failed: number;
  readonly firstFailure: string | null;
  /** False when the run was interrupted. */
  readonly complete: boolean;
  /** Unit: ms. */
  readonly durationMs: number;
  readonly all: Measures;
  readonly kinds: { readonly [Kind in NormalizedQuestion['kind']]?: Measures };
  /** How much of the full distribution fell on the labels of options; null when the engine does not tell. */
  readonly labelMass: { readonly mean: number; readonly p5: number; readonly asked: number } | null;
  /** Over all kinds. */
  readonly bins: readonly Bin[];
}

export const kinds = ['noul', 'choice', 'score'] as const satisfies readonly NormalizedQuestion['kind'][];

/** Sums a run up. The run must have a trial. */
export function toReport({ labelMasses, ...subject }: Subject, run: Run): Report {
  const { trials, failed, firstFailure, complete, durationMs } = run;
  const byKind = kinds.map((kind) => [kind, ofKind(trials, kind)] as const);
  return {
    version: 1,
    promptVersion: PROMPT_VERSION,
    ...subject,
    failed,
    firstFailure,
    complete,
    durationMs,
    all: toMeasures(trials),
    kinds: Object.fromEntries(
      byKind.flatMap(([kind, own]) => (own.length > 0 ? [[kind, toMeasures(own)]] : [])),
    ),
    labelMass:
      labelMasses.length === 0
        ? null
        : { mean: mean(labelMasses), p5: percentile(labelMasses, 0.05), asked: labelMasses.length },
    bins: reliabilityBins(trials),
  };
}
