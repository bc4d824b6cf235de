/** For whom something is done, and how long it is wanted. */
export interface Caller {
  readonly account: string;
  readonly signal: AbortSignal;
}
