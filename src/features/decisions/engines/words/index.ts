import { countInSteps } from '../../../../kernel/kit/count-tokens.ts';
import { preparedOnce } from '../../../../kernel/kit/prepared.ts';
import { runInSlices } from '../../../../kernel/kit/slices.ts';
import { readWordVectors, type WordVectors } from '../../../../kernel/kit/word-vectors.ts';
import type { DecisionEngine, Distribution, NormalizedQuestion, State } from '../../engine.ts';
import { createRules, type Rules } from '../../rules/index.ts';
import { model } from './model.ts';
import { decide } from './decide.ts';
import { createVocabulary, type Vocabulary } from './vocabulary.ts';

/**
 * The embedded decider: word vectors that ship with Nestor and a small trained model, behind the rules that need
 * neither. It compares words and does not reason. Deterministic; takes 15 MB from the first question on, when it reads the
 * vectors.
 */
export function openWordsEngine(load: () => Promise<WordVectors> = readWordVectors): Promise<DecisionEngine> {
  const prepare = preparedOnce(async () => createVocabulary(await load(), model));
  // Kept as long as its state, so that nothing is read twice for one request.
  const kept = new WeakMap<State, Rules>();
  const rulesFor = (state: State): Rules => {
    const rules = kept.get(state) ?? createRules(state);
    kept.set(state, rules);
    return rules;
  };
  return Promise.resolve({
    name: 'words',
    vision: false,
    health: () => 'ok',
    countTokens: (state, questions, signal) => runInSlices(countAll(state.text, questions), signal),
    async score(state, questions, signal) {
      const vocabulary = await prepare();
      return runInSlices(answer(state, rulesFor(state), questions, vocabulary), signal);
    },
    countRuled: (state, questions) => questions.filter((one) => rulesFor(state)(one) !== null).length,
    close: () => Promise.resolve(),
  });
}

function* answer(
  state: State,
  rules: Rules,
  questions: readonly NormalizedQuestion[],
  vocabulary: Vocabulary,
): Generator<void, readonly Distribution[]> {
  const ruled: (Distribution | null)[] = [];
  for (const question of questions) {
    ruled.push(rules(question));
    yield;
  }
  const open = questions.filter((_, at) => ruled[at] === null);
  if (open.length === 0) return ruled.map((distribution) => distribution ?? []);
  const decided = (yield* decide(state.text, open, vocabulary))[Symbol.iterator]();
  return ruled.map((distribution) => distribution ?? decided.next().value ?? []);
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
