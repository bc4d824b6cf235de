import { loadWordVectors, type WordVectors } from '../../../kit/word-vectors.ts';
import { countInto, type TokenCount } from '../../../kit/words.ts';
import type { DecisionEngine } from '../../engine.ts';
import type { State } from '../../state.ts';
import type { Distribution, View } from '../../view.ts';
import { model } from './model.ts';
import { decide } from './decide.ts';
import { createKnowledge } from './knowledge.ts';
import { runInSlices } from './slices.ts';

/**
 * The decider that needs nothing: word vectors that ship with Nestor and a small trained model. It compares words
 * and does not reason. Deterministic; what it keeps between calls changes no answer; 15 MB. Throws Error when the vectors are not
 * readable.
 */
export async function openBaselineEngine(load: () => WordVectors = loadWordVectors): Promise<DecisionEngine> {
  const knowledge = createKnowledge(load(), model);
  return {
    name: 'baseline',
    vision: false,
    health: () => 'ok',
    async countTokens(state: State, views: readonly View[], signal: AbortSignal): Promise<number> {
      return runInSlices(countAll(state.text, views), signal);
    },
    async score(state: State, views: readonly View[], signal: AbortSignal): Promise<readonly Distribution[]> {
      return runInSlices(decide(state.text, views, knowledge), signal);
    },
    async close(): Promise<void> {},
  };
}

/** Characters counted at a stretch; about 1 ms. */
const countChars = 262_144;

function* countAll(text: string, views: readonly View[]): Generator<void, number> {
  let tokens = yield* countSliced(text);
  for (const { question, options } of views) {
    tokens += yield* countSliced(question);
    for (const { name, description } of options) {
      tokens += (yield* countSliced(name)) + (yield* countSliced(description));
    }
  }
  return tokens;
}

function* countSliced(text: string): Generator<void, number> {
  const count: TokenCount = { tokens: 0, run: 0 };
  for (let from = 0; from < text.length; from += countChars) {
    countInto(count, text, from, Math.min(text.length, from + countChars));
    yield;
  }
  return count.tokens;
}
