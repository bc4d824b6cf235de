import { countTokens } from '../../kernel/kit/words.ts';
import type { State, NormalizedQuestion } from './engine.ts';

/** Tokens by words, for engines whose tokenizer is elsewhere: the state once and each question once. */
export function estimateTokens(state: State, questions: readonly NormalizedQuestion[]): number {
  const texts = questions.flatMap(({ question, options }) => [
    question,
    ...options.flatMap(({ name, description }) => [name, description]),
  ]);
  return [state.text, ...texts].reduce((sum, text) => sum + countTokens(text), 0);
}
