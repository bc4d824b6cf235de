import { type DecisionEngine, type Distribution, type NormalizedQuestion, rescore } from './engine.ts';
import { affirmQuestion, negateQuestion } from './prompt.ts';

/**
 * Asks every noul both ways, as it stands and denied, and lets each half answer: `(p(yes) + 1 - p(yes to the
 * denial)) / 2`. A model that says yes to everything then answers 0.5. Costs one suffix per noul.
 */
export function withNegation(engine: DecisionEngine): DecisionEngine {
  return rescore(engine, { negation: 'on' }, async (state, questions, signal, account) => {
    const nouls = questions.filter(({ kind }) => kind === 'noul');
    if (nouls.length === 0) return engine.score(state, questions, signal, account);
    const scored = await engine.score(state, [...questions, ...nouls.map(negate)], signal, account);
    const denials = scored.slice(questions.length)[Symbol.iterator]();
    return questions.map((question, index) => {
      const own = scored[index] ?? [];
      if (question.kind !== 'noul') return own;
      const denied = denials.next().value?.[0] ?? 0.5;
      const yes = ((own[0] ?? 0.5) + 1 - denied) / 2;
      return [yes, 1 - yes];
    });
  });
}

/** The same question, asked whether its opposite holds; the definitions of yes and no change places. */
export const negate = (question: NormalizedQuestion): NormalizedQuestion =>
  turned(question, negateQuestion(question.question));

/**
 * Answers a question that `negate` turned round by the one that it was, for engines that compare texts: to them the denial of a
 * statement is about the same.
 */
export async function scoreAffirmed(
  questions: readonly NormalizedQuestion[],
  score: (affirmed: readonly NormalizedQuestion[]) => Promise<readonly Distribution[]>,
): Promise<readonly Distribution[]> {
  const asked = questions.map((question) => {
    const affirmed = question.kind === 'noul' ? affirmQuestion(question.question) : null;
    return affirmed === null ? null : turned(question, affirmed);
  });
  const scored = await score(questions.map((question, at) => asked[at] ?? question));
  return scored.map((answer, at) => (asked[at] === null ? answer : answer.toReversed()));
}

function turned(question: NormalizedQuestion, asked: string): NormalizedQuestion {
  const [yes, no] = question.options;
  return {
    ...question,
    question: asked,
    options: [
      { name: 'true', description: no?.description ?? '' },
      { name: 'false', description: yes?.description ?? '' },
    ],
    ...(question.examples && {
      examples: question.examples.map(({ text, answer }) => ({
        text,
        answer: answer === 'true' ? 'false' : 'true',
      })),
    }),
  };
}
