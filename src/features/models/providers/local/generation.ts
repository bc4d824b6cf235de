import type { LlamaGrammarEvaluationState } from 'node-llama-cpp';

/** How tokens are drawn. Temperature 0 takes the likeliest. */
export interface Sampling {
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
  readonly presencePenalty: number;
  readonly frequencyPenalty: number;
  /** From 0 to 2^32 - 2. */
  readonly seed: number;
}

/** A place in a grammar, moved by the tokens that are drawn under it. */
export type GrammarState = LlamaGrammarEvaluationState;

export interface Grammar {
  begin(): GrammarState;
}

/** How to go on after a token: with the next one, not at all, or with these in its place. */
export type Verdict = 'more' | 'enough' | readonly number[];

export interface Listener {
  /** Called before each token; undefined leaves it free. */
  grammar(): GrammarState | undefined;
  hear(token: number): Verdict;
}

export interface Generation {
  /** At least one token, and fewer than a lane holds. */
  readonly prompt: readonly number[];
  readonly sampling: Sampling;
  /** Most tokens that are written. */
  readonly tokensMax: number;
  /** Called at the start, and again when the lane was lost: the first `known` tokens were heard already. */
  readonly listen: (known: number) => Listener;
  /** Called once, before the first token, with the tokens of the prompt that were evaluated already. */
  readonly onStart: (cached: number) => void;
}

/** `enough`: the listener had heard enough. `full`: no lane is longer. */
export type Ending = 'end' | 'enough' | 'length' | 'full';
