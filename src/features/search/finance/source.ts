import type { FinanceAnswer, FinanceCategory } from '../finance.ts';

/** One source of figures. Null where nothing is known of a ticker; failures are Faults of `upstream-fault.ts`. */
export interface FinanceSource {
  readonly categories: readonly FinanceCategory[];
  find(category: FinanceCategory, ticker: string, signal: AbortSignal): Promise<FinanceAnswer | null>;
}

/** A figure as people read it: `391.04 billion`, `6.11`, `-1.2 million`. */
export function tellNumber(value: number): string {
  for (const [size, word] of [
    [1e12, 'trillion'],
    [1e9, 'billion'],
    [1e6, 'million'],
  ] as const)
    if (Math.abs(value) >= size) return `${Number((value / size).toFixed(2))} ${word}`;
  return String(value);
}
