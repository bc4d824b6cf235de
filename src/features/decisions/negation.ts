import type { DecisionEngine } from './engine.ts';
import { rescore } from './rescore.ts';
import { negateQuestion } from './prompt.ts';
import type { NormalizedQuestion } from './normalized-question.ts';

/**
 * Asks every noul both ways, as it stands and denied, and lets each half answer: `(p(yes) + 1 - p(yes to the
 * denial)) / 2`. A model that says yes to everything then answers 0.5. Costs one suffix per noul.
 */
export function withNegation(engine: DecisionEngine): DecisionEngine {
  return rescore(engine, async (state, views, signal, account) => {
    const nouls = views.filter(({ kind }) => kind === 'noul');
    if (nouls.length === 0) return engine.score(state, views, signal, account);
    const scored = await engine.score(state, [...views, ...nouls.map(negate)], signal, account);
    const denials = scored.slice(views.length)[Symbol.iterator]();
    return views.map((view, index) => {
      const own = scored[index] ?? [];
      if (view.kind !== 'noul') return own;
      const denied = denials.next().value?.[0] ?? 0.5;
      const yes = ((own[0] ?? 0.5) + 1 - denied) / 2;
      return [yes, 1 - yes];
    });
  });
}

/** The same question, asked whether its opposite holds; the definitions of yes and no change places. */
export function negate(view: NormalizedQuestion): NormalizedQuestion {
  const [yes, no] = view.options;
  return {
    ...view,
    question: negateQuestion(view.question),
    options: [
      { name: 'true', description: no?.description ?? '' },
      { name: 'false', description: yes?.description ?? '' },
    ],
  };
}
