/** Account of work that no account asked for. No real account has an empty name. */
export const ownAccount = '';

export interface Caller {
  readonly account: string;
  readonly signal: AbortSignal;
}
