/** Account of work that no account asked for. No real account has an empty name. */
export const ownAccount = '';

/** Account of work that nobody waits for: it goes behind that of all others. No real account has a blank as its name. */
export const backgroundAccount = ' ';

export interface Caller {
  readonly account: string;
  readonly signal: AbortSignal;
}
