import type { DecisionEngine } from '../engine.ts';
import type { Confidences, Guarantee } from '../policy.ts';

/** What a decider does with answers of low confidence. */
export interface Policy {
  /** Below these an answer is abstained from. */
  readonly abstain: Confidences;
  /** Bound on the share of wrong answers, for which a guarantee is needed; null without one. */
  readonly maxError: number | null;
}

/** A decider as it is asked. */
export interface Decider {
  readonly name: string;
  /** One, or those of a cascade in order. */
  readonly stages: readonly [Stage, ...Stage[]];
  /** Null adds nothing to an answer. */
  readonly policy: Policy | null;
  /** Fitted for this decider; a request may ask for one too. */
  readonly guarantees: readonly Guarantee[];
}

/** One that a cascade asks what those before it left. */
export interface Stage {
  readonly name: string;
  readonly engine: DecisionEngine;
  /** Below these a question goes on to the next. */
  readonly confidence: Confidences;
}

/** A decider that is nothing but an engine. */
export function plainDecider(name: string, engine: DecisionEngine): Decider {
  return { name, stages: [{ name, engine, confidence: {} }], policy: null, guarantees: [] };
}

/** A decider of an engine or of a cascade; it has a policy where something changes its answers. */
export function toDecider(
  name: string,
  stages: Decider['stages'],
  guarantees: readonly Guarantee[],
  { abstain, maxError }: Policy,
): Decider {
  const isCascade = stages[0].name !== name;
  const changes = isCascade || maxError !== null || Object.keys(abstain).length > 0;
  return { name, stages, policy: changes ? { abstain, maxError } : null, guarantees };
}
