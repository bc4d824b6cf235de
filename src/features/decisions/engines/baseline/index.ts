import { countInSteps } from '../../../../kernel/kit/count-tokens.ts';
import { runInSlices } from '../../../../kernel/kit/slices.ts';
import { loadWordVectors, type WordVectors } from '../../../../kernel/kit/word-vectors.ts';
import type { DecisionEngine } from '../../engine.ts';
import type { State } from '../../state.ts';
import type { Distribution, NormalizedQuestion } from '../../normalized-question.ts';
import { model } from './model.ts';
import { decide } from './decide.ts';
import { createKnowledge } from './knowledge.ts';

/**
 * The decider that needs nothing: word vectors that ship with Nestor and a small trained model. It compares words
 * and does not reason. Deterministic; what it keeps between calls changes no answer; 15 MB. Throws Error when the vectors are not
 * readable.
 */
export async function openBaselineEngine(load: () => WordVectors = loadWordVectors): Promise<DecisionEngine> {
  const knowledge = createKnowledge(load(), model);
  return {
    name: 'baseline',
    vision: false,
    health: () => 'ok',
    async countTokens(
      state: State,
      questions: readonly NormalizedQuestion[],
      signal: AbortSignal,
    ): Promise<number> {
      return runInSlices(countAll(state.text, questions), signal);
    },
    async score(
      state: State,
      questions: readonly NormalizedQuestion[],
      signal: AbortSignal,
    ): Promise<readonly Distribution[]> {
      return runInSlices(decide(state.text, questions, knowledge), signal);
    },
    async close(): Promise<void> {},
  };
}

function* countAll(text: string, questions: readonly NormalizedQuestion[]): Generator<void, number> {
  let tokens = yield* countInSteps(text);
  for (const { question, options } of questions) {
    tokens += yield* countInSteps(question);
    for (const { name, description } of options) {
      tokens += (yield* countInSteps(name)) + (yield* countInSteps(description));
    }
  }
  return tokens;
}
