import { preparedFor } from '../../../kernel/kit/prepared.ts';
import { runInSlices } from '../../../kernel/kit/slices.ts';
import type { DecisionEngine, Distribution, NormalizedQuestion } from '../engine.ts';
import { createRules, type Rules } from './index.ts';

/** Asks the rules first, and the engine what they leave. */
export function withRules(engine: DecisionEngine): DecisionEngine {
  // So that nothing is read twice for one request.
  const rulesFor = preparedFor(createRules);
  return {
    ...engine,
    async score(state, questions, signal, account) {
      const ruled = await runInSlices(askEach(rulesFor(state), questions), signal);
      const open = questions.filter((_, at) => ruled[at] === null);
      const scored = open.length === 0 ? [] : await engine.score(state, open, signal, account);
      const answers = scored[Symbol.iterator]();
      return ruled.map((distribution) => distribution ?? answers.next().value ?? []);
    },
    countRuled: (state, questions) => questions.filter((one) => rulesFor(state)(one) !== null).length,
  };
}

function* askEach(
  rules: Rules,
  questions: readonly NormalizedQuestion[],
): Generator<void, readonly (Distribution | null)[]> {
  const ruled: (Distribution | null)[] = [];
  for (const question of questions) {
    ruled.push(rules(question));
    yield;
  }
  return ruled;
}
