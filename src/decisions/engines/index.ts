import type { DecisionEngine } from '../engine.ts';
import { openBaselineEngine } from './baseline/index.ts';

/** Every engine by the name that the configuration uses. */
export const decisionEngines: Readonly<Record<string, () => DecisionEngine | Promise<DecisionEngine>>> = {
  baseline: openBaselineEngine,
};
