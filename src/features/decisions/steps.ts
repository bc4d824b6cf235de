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
 * Wraps an engine in the configured steps: orders are averaged first, then the prior is divided out, then both
 * directions of a noul are joined. The temperature comes last, because it was fitted on the result of the others.
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
