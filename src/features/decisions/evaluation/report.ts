import { PROMPT_VERSION } from '../prompt.ts';
import type { NormalizedQuestion } from '../engine.ts';
import { mean, percentile } from './metrics.ts';
import { ofKind, toMeasures, type Measures } from './measures.ts';
import { reliabilityBins } from './reliability.ts';
import type { Run } from './run.ts';

/** Properties of a run that its caller knows. */
export interface Subject {
  readonly engine: string;
  /** Names of the files as the user gave them. */
  readonly files: readonly string[];
  /** Description of the steps around the engine. */
  readonly steps: string;
  readonly concurrency: number;
  /** When the run began, ISO 8601. */
  readonly startedAt: string;
  readonly labelMasses: readonly number[];
}

/** An evaluation as `report.json` holds it. Figures are in [0, 1] unless they say otherwise. */
export type Report = ReturnType<typeof toReport>;

export const kinds = ['noul', 'choice', 'score'] as const satisfies readonly NormalizedQuestion['kind'][];

/** Sums a run up. The run must have a trial. */
export function toReport({ labelMasses, ...subject }: Subject, { trials, ...run }: Run) {
  const byKind = kinds.map((kind) => [kind, ofKind(trials, kind)] as const);
  return {
    version: 1 as const,
    promptVersion: PROMPT_VERSION,
    ...subject,
    ...run,
    all: toMeasures(trials),
    kinds: Object.fromEntries(
      byKind.flatMap(([kind, own]) => (own.length > 0 ? [[kind, toMeasures(own)]] : [])),
    ) as { readonly [Kind in NormalizedQuestion['kind']]?: Measures },
    /** Share of the full distribution that fell on the labels of options; null when the engine does not report it. */
    labelMass:
      labelMasses.length === 0
        ? null
        : { mean: mean(labelMasses), p5: percentile(labelMasses, 0.05), asked: labelMasses.length },
    bins: reliabilityBins(trials),
  };
}
