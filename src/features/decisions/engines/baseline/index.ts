import { countInSteps } from '../../../../kernel/kit/count-tokens.ts';
import { runInSlices } from '../../../../kernel/kit/slices.ts';
import { loadWordVectors, type WordVectors } from '../../../../kernel/kit/word-vectors.ts';
import type { DecisionEngine, NormalizedQuestion } from '../../engine.ts';
import { model } from './model.ts';
import { decide } from './decide.ts';
import { createVocabulary } from './vocabulary.ts';

/**
 * The embedded decider: word vectors that ship with Nestor and a small trained model. It compares words and does not
 * reason. Deterministic; takes 15 MB. Throws Error when the vectors cannot be read.
 */
export async function openBaselineEngine(load: () => WordVectors = loadWordVectors): Promise<DecisionEngine> {
  const vocabulary = createVocabulary(load(), model);
  return {
    name: 'baseline',
    vision: false,
    health: () => 'ok',
    countTokens: (state, questions, signal) => runInSlices(countAll(state.text, questions), signal),
    score: (state, questions, signal) => runInSlices(decide(state.text, questions, vocabulary), signal),
    close: () => Promise.resolve(),
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
