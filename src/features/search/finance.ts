/** Kinds of figures of a company or a security. */
export const financeCategories = ['profile', 'quote', 'financials'] as const;
type FinanceCategory = (typeof financeCategories)[number];

export interface FinanceAnswer {
  readonly category: FinanceCategory;
  /** Plain text, with the dates and units of its figures. */
  readonly content: string;
  /** Addresses where the figures stand. */
  readonly sources: readonly string[];
  readonly tickers: readonly string[];
}

/** Figures of companies and markets. */
export interface Finance {
  /** Categories that some configured source knows. */
  readonly categories: readonly FinanceCategory[];
  /**
   * One answer per category and ticker for which something is known, and what could not be asked for. Throws Fault
   * `service_unavailable`, `gateway_timeout` or `bad_gateway` when no source could be asked.
   */
  find(
    categories: readonly FinanceCategory[],
    tickers: readonly string[],
    signal: AbortSignal,
    /** Whose share of what reads large answers it takes; by default nobody's. */
    account?: string,
  ): Promise<FinanceAnswers>;
}

export interface FinanceAnswers {
  readonly answers: readonly FinanceAnswer[];
  readonly failed: readonly { readonly ticker: string; readonly category: FinanceCategory }[];
}

/** One source of figures. `find` resolves to null for an unknown ticker; failures are Faults of `upstream-fault.ts`. */
export interface FinanceSource {
  readonly categories: readonly FinanceCategory[];
  find(
    category: FinanceCategory,
    ticker: string,
    signal: AbortSignal,
    account: string,
  ): Promise<FinanceAnswer | null>;
  /** Left out where nothing is open. */
  close?(): Promise<void>;
}
