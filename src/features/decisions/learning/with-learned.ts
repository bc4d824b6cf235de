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

/** Answers the questions that examples were learned for by their heads, and leaves the others to the engine. */
export function withLearned(engine: DecisionEngine, heads: ReadonlyMap<string, Head>): DecisionEngine {
  const { features } = engine;
  if (features === undefined || heads.size === 0) return engine;
  return rescore(engine, { learned: digestOf(heads) }, async (state, questions, signal, account) => {
    const found = questions.map((question) => heads.get(questionKey(question)));
    const open = questions.filter((_, at) => found[at] === undefined);
    const scored = open.length === 0 ? [] : await engine.score(state, open, signal, account);
    const left = scored.values();
    const answers: Distribution[] = [];
    for (const [at, question] of questions.entries()) {
      const head = found[at];
      if (head === undefined) answers.push(left.next().value ?? []);
      else answers.push(await answer(head, state, question));
    }
    return answers;

    async function answer(head: Head, asked: State, question: NormalizedQuestion): Promise<Distribution> {
      const order = canonicalOrder(question);
      const [own] = (await features?.of([asked], reorder(question, order), signal, account)) ?? [];
      if (own === undefined) return [];
      const learned = answerOf(head, own.vector, own.prior);
      return question.options.map((_, option) => learned[order.indexOf(option)] ?? 0);
    }
  });
}
