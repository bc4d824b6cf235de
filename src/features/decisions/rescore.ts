import type { DecisionEngine } from './engine.ts';

/** The same engine with another `score`. Its properties are read each time, because some change. */
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
