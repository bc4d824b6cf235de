import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from './api.ts';

/** Looks that may fail one after the other: a server that restarts keeps what it was given. */
const failuresMax = 5;

interface Looking<Found> {
  look(): Promise<Found>;
  isOver(found: Found): boolean;
  onLook(found: Found): void;
  /** Between two looks, growing from the first to the second. Unit: ms. */
  readonly pollMs: readonly [first: number, longest: number];
  readonly signal: AbortSignal;
}

/** Looks at what the server does until it is over. Throws ApiError and the signal's reason. */
export async function lookUntilOver<Found>(looking: Looking<Found>): Promise<Found> {
  const { pollMs, signal } = looking;
  const [firstMs, longestMs] = pollMs;
  let failures = 0;
  for (let waitMs = firstMs; ; waitMs = Math.min(longestMs, waitMs * 1.5)) {
    let askedMs = 0;
    try {
      const found = await looking.look();
      failures = 0;
      looking.onLook(found);
      if (looking.isOver(found)) return found;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { status, retryAfterMs } = error;
      const isPassing = status === null || status === 429 || status >= 500;
      // Asked to come later is not failed.
      if (!isPassing || (status !== 429 && ++failures === failuresMax)) throw error;
      askedMs = retryAfterMs ?? 0;
    }
    await pause(Math.max(waitMs, askedMs), undefined, { signal });
  }
}
