import { type DecisionEngine, type NormalizedQuestion, rescore } from './engine.ts';
import { negateQuestion } from './prompt.ts';

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
export function negate(question: NormalizedQuestion): NormalizedQuestion {
  const [yes, no] = question.options;
  return {
    ...question,
    question: negateQuestion(question.question),
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
