/** What may be asked about a company or a security. */
export const financeCategories = ['profile', 'quote', 'financials'] as const;
export type FinanceCategory = (typeof financeCategories)[number];

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
  /** What can be answered with what is configured. */
  readonly categories: readonly FinanceCategory[];
  /**
   * One answer per category and ticker for which something is known, and what could not be asked for. Throws Fault
   * `service_unavailable`, `gateway_timeout` or `bad_gateway` when no source could be asked.
   */
  find(
    categories: readonly FinanceCategory[],
    tickers: readonly string[],
    signal: AbortSignal,
  ): Promise<FinanceAnswers>;
}

export interface FinanceAnswers {
  readonly answers: readonly FinanceAnswer[];
  readonly failed: readonly { readonly ticker: string; readonly category: FinanceCategory }[];
}
