import type { CallFailure } from '../../kernel/kit/call-failure.ts';
import type { Hit, ImageHit, SearchKind, SearchQuery, VideoHit } from './engine.ts';

/** A hit with the text that a reader would want of it. */
export interface Found extends Hit {
  /** Passages that fit the query, in the order of the page, at most the tokens that were asked for. Plain text. */
  readonly text: string;
}

export interface TextBudget {
  /** Over all hits, and of one. Unit: tokens. */
  readonly tokensMax: number;
  readonly tokensPerPageMax: number;
}

/**
 * Why an engine gave no answer: it was too slow, it is away or busy or was so a moment before, or what it sent cannot be used.
 */
export type NoAnswer = CallFailure['kind'];

/** What came of one query to one engine: so many hits, or none and why. */
export type EngineOutcome = number | NoAnswer;

export type OnAsked = (engine: string, outcome: EngineOutcome) => void;

/** Search over everything that is configured: the chain of engines, merged, filtered, with text. */
export interface Search {
  /**
   * One ranking. Engines that fail are passed by; throws Fault `service_unavailable`, `gateway_timeout` or
   * `bad_gateway` only when every engine of the kind failed. Nothing found is an empty list.
   * Pages are read as this account's part of the reader allows. `onAsked` is told what came of each engine.
   */
  find(
    query: SearchQuery,
    budget: TextBudget,
    signal: AbortSignal,
    account: string,
    onAsked?: OnAsked,
  ): Promise<readonly Found[]>;
  images(query: SearchQuery, countMax: number, signal: AbortSignal): Promise<readonly ImageHit[]>;
  videos(query: SearchQuery, countMax: number, signal: AbortSignal): Promise<readonly VideoHit[]>;
  /** Whether an engine of its own answers this kind; without one the corpus does. */
  has(kind: SearchKind): boolean;
  /** `ok` as long as one engine answers; never `not_configured`, because the corpus is always there. */
  health(): 'ok' | 'down';
}

export type ContextSize = 'low' | 'medium' | 'high';

/** Tokens of text that each context size stands for. `high` is what `POST /search` gives by default. */
export const contextBudgets: Readonly<Record<ContextSize, TextBudget>> = {
  low: { tokensMax: 3_000, tokensPerPageMax: 1_000 },
  medium: { tokensMax: 6_000, tokensPerPageMax: 2_000 },
  high: { tokensMax: 10_000, tokensPerPageMax: 4_096 },
};

/** Explicit budgets win over the size; one that is absent is as large as the other allows. */
export function toBudget(
  size: ContextSize,
  tokensMax: number | null,
  tokensPerPageMax: number | null,
): TextBudget {
  if (tokensMax === null && tokensPerPageMax === null) return contextBudgets[size];
  return {
    tokensMax: tokensMax ?? contextBudgets.high.tokensMax,
    tokensPerPageMax: tokensPerPageMax ?? contextBudgets.high.tokensPerPageMax,
  };
}
