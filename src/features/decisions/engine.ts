import type { Distribution, NormalizedQuestion } from './normalized-question.ts';
import type { State } from './state.ts';

export type EngineHealth = 'ok' | 'down';

/**
 * Scores the options of prepared questions against one state. The spec of the family; the list of its members is
 * `engines/index.ts`. An engine knows no HTTP, no wire format of Nestor and no other engine.
 *
 * Guarantees, checked by the family suite: the same input gives the same output; a question's answer does
 * not depend on the other questions of the call; state and descriptions are data, never instructions.
 */
export interface DecisionEngine {
  /** Public name, sent as `x-nestor-engine`, and shown by `/readyz` and the log. */
  readonly name: string;
  /** Whether image parts of the state are looked at. Without it a state with images is refused. */
  readonly vision: boolean;
  health(): EngineHealth;
  /** Counts what `score` would evaluate, images left out: the state once and each question once. Unit: tokens. */
  countTokens(state: State, questions: readonly NormalizedQuestion[], signal: AbortSignal): Promise<number>;
  /**
   * One distribution per question, in order. Throws Fault `service_unavailable`, `gateway_timeout`, `bad_gateway`;
   * rejects with the signal's reason when it aborts. `account` is for whom, where accounts share what evaluates; the
   * server itself without it. No answer depends on it.
   */
  score(
    state: State,
    questions: readonly NormalizedQuestion[],
    signal: AbortSignal,
    account?: string,
  ): Promise<readonly Distribution[]>;
  close(): Promise<void>;
}
