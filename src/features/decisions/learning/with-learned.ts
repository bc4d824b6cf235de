import {
  rescore,
  type DecisionEngine,
  type Distribution,
  type NormalizedQuestion,
  type State,
} from '../engine.ts';
import { digestOf } from '../fingerprint.ts';
import { canonicalOrder, reorder } from '../order.ts';
import { questionKey } from '../policy.ts';
import { answerOf, type Head } from './fit-head.ts';

/** Told of each answer of a head, in canonical order; `question` is the key. */
export type OnLearned = (question: string, head: Head, answer: Distribution) => void;

/** Answers the questions that examples were learned for by their heads, and leaves the others to the engine. */
export function withLearned(
  engine: DecisionEngine,
  heads: ReadonlyMap<string, Head>,
  onLearned: OnLearned = () => {},
): DecisionEngine {
  const { features } = engine;
  if (features === undefined || heads.size === 0) return engine;
  const learned = rescore(engine, { learned: digestOf(heads) }, async (state, questions, signal, account) => {
    const keys = questions.map(questionKey);
    const found = keys.map((key) => heads.get(key));
    const open = questions.filter((_, at) => found[at] === undefined);
    const scored = open.length === 0 ? [] : await engine.score(state, open, signal, account);
    const left = scored.values();
    const answers: Distribution[] = [];
    for (const [at, question] of questions.entries()) {
      const head = found[at];
      if (head === undefined) answers.push(left.next().value ?? []);
      else answers.push(await answer(head, state, question, keys[at] ?? ''));
    }
    return answers;

    async function answer(
      head: Head,
      asked: State,
      question: NormalizedQuestion,
      key: string,
    ): Promise<Distribution> {
      const order = canonicalOrder(question);
      const [own] = (await features?.of([asked], reorder(question, order), signal, account)) ?? [];
      if (own === undefined) return [];
      const learned = answerOf(head, own.vector, own.prior);
      onLearned(key, head, learned);
      return question.options.map((_, option) => learned[order.indexOf(option)] ?? 0);
    }
  });
  // A head answers what a rule would have answered.
  const isLeft = (question: NormalizedQuestion) => !heads.has(questionKey(question));
  return Object.assign(learned, {
    countRuled: (...[state, questions]: Parameters<NonNullable<DecisionEngine['countRuled']>>) =>
      engine.countRuled?.(state, questions.filter(isLeft)) ?? 0,
  });
}
