import type { DecisionEngine } from './engine.ts';

/** The same engine with another way to score. Members are asked each time: some change while an engine lives. */
export function rescore(engine: DecisionEngine, score: DecisionEngine['score']): DecisionEngine {
  return {
    name: engine.name,
    get vision() {
      return engine.vision;
    },
    health: () => engine.health(),
    countTokens: (state, questions, signal) => engine.countTokens(state, questions, signal),
    score,
    close: () => engine.close(),
  };
}
