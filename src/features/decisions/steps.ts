import { withCalibration, type Calibration } from './calibration.ts';
import type { DecisionEngine } from './engine.ts';
import { withNegation } from './negation.ts';
import { withOrders, type OrderPasses } from './order.ts';
import { withPrior } from './prior.ts';

export interface Steps {
  readonly passes: OrderPasses;
  readonly prior: boolean;
  readonly negation: boolean;
  readonly calibration: Calibration | null;
}

/**
 * Puts the steps that know no engine around one: orders are averaged first, then the prior is taken off, then the
 * two ways of a noul are joined, and the temperature comes last because it was fitted on what the others leave.
 */
export function withSteps(
  engine: DecisionEngine,
  { passes, prior, negation, calibration }: Steps,
): DecisionEngine {
  const ordered = withOrders(engine, passes);
  const judged = prior ? withPrior(ordered) : ordered;
  const both = negation ? withNegation(judged) : judged;
  return calibration === null ? both : withCalibration(both, calibration.temperatures);
}
