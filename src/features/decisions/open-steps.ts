import type { DecisionEngine } from './engine.ts';
import { readCalibration } from './evaluation/calibration-file.ts';
import { readHeads } from './learning/heads-file.ts';
import { withLearned } from './learning/with-learned.ts';
import { withSteps, type Steps } from './steps.ts';

/** Steps as the configuration names them. */
export interface NamedSteps extends Omit<Steps, 'calibration'> {
  /** A file of `nestor calibrate`. */
  readonly calibration: string | null;
  /** A file of `nestor learn`. */
  readonly learned: string | null;
}

/**
 * Wraps an engine in its steps, and these in what was learned, whose temperature is its own. Servers and commands both
 * ask an engine through this. Throws ExampleError for a file that does not fit.
 */
export function withNamedSteps(
  engine: DecisionEngine,
  { calibration, learned, ...steps }: NamedSteps,
): DecisionEngine {
  const fitted = calibration === null ? null : readCalibration(calibration, engine.name);
  const stepped = withSteps(engine, { ...steps, calibration: fitted });
  return learned === null ? stepped : withLearned(stepped, readHeads(learned, engine.features?.version));
}
