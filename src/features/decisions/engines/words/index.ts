import type { WordVectors } from '../../../../kernel/kit/word-vectors.ts';
import type { DecisionEngine } from '../../engine.ts';
import { scoreAffirmed } from '../../negation.ts';
import { withRules } from '../../rules/with-rules.ts';
import { openWords } from '../../words/open-words.ts';

/** Word vectors, behind the rules that need no model. */
export function openWordsEngine(load?: () => Promise<WordVectors>): Promise<DecisionEngine> {
  const words = openWords(load);
  const engine = withRules({
    name: 'words',
    vision: false,
    health: () => 'ok',
    countTokens: ({ text }, questions, signal) => words.countTokens(text, questions, signal),
    score: ({ text }, questions, signal) =>
      scoreAffirmed(questions, (affirmed) => words.decide(text, affirmed, signal)),
    fingerprint: async () => ({ words: await words.version() }),
    close: () => Promise.resolve(),
  });
  return Promise.resolve(engine);
}
