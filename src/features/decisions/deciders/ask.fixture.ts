import type { DecisionEngine, NormalizedQuestion, State } from '../engine.ts';
import type { Guarantee } from '../policy.ts';
import { toDecider, type Decider, type Stage } from './decider.ts';

export const text: State = { entry: 'x', text: 'x', images: [] };
export const limits = { inputTokensMax: 1_000 };
export const options = { maxError: null };
export const { signal } = new AbortController();

export const noul = (question: string): NormalizedQuestion => ({
  kind: 'noul',
  question,
  options: ['true', 'false'].map((name) => ({ name, description: '' })),
});

/** Answers each question with the probability of yes that it is given for it, and writes down what it was asked. */
export function engineOf(name: string, answers: Readonly<Record<string, number>>, vision = false) {
  const asked: string[] = [];
  const engine: DecisionEngine = {
    name,
    vision,
    health: () => 'ok',
    countTokens: (_, questions) => Promise.resolve(10 + questions.length),
    score(_, questions) {
      asked.push(...questions.map(({ question }) => question));
      return Promise.resolve(
        questions.map(({ question }) => [answers[question] ?? 0.5, 1 - (answers[question] ?? 0.5)]),
      );
    },
    close: () => Promise.resolve(),
  };
  return { engine, asked };
}

export const stage = (engine: DecisionEngine, noul = 0): Stage => ({
  name: `by-${engine.name}`,
  engine,
  confidence: { noul },
});

export function cascadeOf(
  stages: Decider['stages'],
  abstain = {},
  guarantees: readonly Guarantee[] = [],
): Decider {
  return toDecider('careful', stages, guarantees, { abstain, maxError: null });
}
