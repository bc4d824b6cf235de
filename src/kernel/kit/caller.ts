/** Whom the server works for where no account asked. No account has an empty name. */
export const ownAccount = '';

/** For whom something is done, and how long it is wanted. */
export interface Caller {
  readonly account: string;
  readonly signal: AbortSignal;
}
