/** The account of work that no account asked for. No real account has an empty name. */
export const ownAccount = '';

/** The account that work is done for, and the signal that ends it. */
export interface Caller {
  readonly account: string;
  readonly signal: AbortSignal;
}
