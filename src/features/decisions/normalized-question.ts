import type { Json, JsonObject } from '../../kernel/kit/json.ts';

/** Text or structured content as the caller wrote it. */
export type Entry = string | JsonObject | readonly Json[];

/** One answer that a question permits. Order is the caller's; an engine's answer must not depend on it. */
export interface Option {
  /** `true`/`false` for a noul, the option's name for a choice, the level's index ("0", "1", …) for a score. */
  readonly name: string;
  /** Rendered description; empty when the name speaks for itself. */
  readonly description: string;
}

/**
 * The normal form of every question: three kinds of question become this one shape, and prompts and engines
 * know nothing else. Questions with one option are answered without an engine.
 */
export interface NormalizedQuestion {
  readonly kind: 'noul' | 'choice' | 'score';
  /** Rendered instructions; empty when there are none. */
  readonly question: string;
  /** Two for a noul (`true`, then `false`), 1 to 255 for a choice, 1 to 10 for a score. */
  readonly options: readonly Option[];
}

/** Probability of each option of one question, in the question's order. Each in [0,1]; they sum to 1. */
export type Distribution = readonly number[];
