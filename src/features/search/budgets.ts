import type { TextBudget } from './search.ts';

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
