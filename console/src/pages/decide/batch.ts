import { ApiFailure } from '../../api/failure.ts';
import { formatCount } from '../../parts/formats.ts';
import type { Decision } from './answers.ts';

/** Outcome of one row. */
export type Outcome =
  | { readonly decision: Decision; readonly error?: never }
  | { readonly error: string; readonly decision?: never };

export interface BatchOptions {
  /** Which rows are asked, in this order. */
  readonly rows: readonly number[];
  readonly ask: (row: number, signal: AbortSignal) => Promise<Decision>;
  readonly onOutcome: (row: number, outcome: Outcome) => void;
  /** The server wants a pause, in milliseconds; 0 when it is over. */
  readonly onWait: (waitMs: number) => void;
  /** Ends early, without an error, when the signal says so. */
  readonly wait: (waitMs: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Rows that are asked at the same time. */
export const batchWidth = 4;
/** Consecutive failures after which the rows are not to blame. */
const failuresMax = 20;
const waitDefaultMs = 1_000;

/**
 * Asks every row. Resolves to null when all have an outcome or the signal aborted, else to the failure that stopped it:
 * no connection, a refused key, or only failures. Rows without an outcome can be asked later.
 */
export async function runBatch({
  rows,
  ask,
  onOutcome,
  onWait,
  wait,
  signal,
}: BatchOptions): Promise<unknown> {
  const ended = new AbortController();
  const both = AbortSignal.any([signal, ended.signal]);
  const queue = rows.values();
  let failure: unknown = null;
  let failuresInARow = 0;
  let pause: Promise<void> | null = null;

  const end = (error: unknown) => {
    failure ??= error;
    ended.abort();
  };
  const pauseFor = (waitMs: number) => {
    pause ??= wait(waitMs, both).finally(() => {
      pause = null;
      onWait(0);
    });
    onWait(waitMs);
  };
  const askUntilTold = async (row: number): Promise<void> => {
    while (!both.aborted) {
      if (pause !== null) await pause;
      if (both.aborted) return;
      try {
        const decision = await ask(row, both);
        failuresInARow = 0;
        onOutcome(row, { decision });
        return;
      } catch (error) {
        if (both.aborted) return;
        if (!(error instanceof ApiFailure) || [0, 401, 403].includes(error.status)) {
          end(error);
          return;
        }
        if (error.status !== 429) {
          onOutcome(row, { error: error.message });
          failuresInARow += 1;
          if (failuresInARow >= failuresMax) end(error);
          return;
        }
        pauseFor(error.retryAfterS === null ? waitDefaultMs : error.retryAfterS * 1_000);
      }
    }
  };
  const work = async () => {
    for (const row of queue) {
      await askUntilTold(row);
      if (both.aborted) return;
    }
  };
  await Promise.all(Array.from({ length: batchWidth }, work));
  return failure;
}

/** How long the rest will take at the speed so far; null while that is not known. Unit: s. */
export function secondsLeft(asked: number, left: number, tookMs: number): number | null {
  return asked < batchWidth || tookMs <= 0 ? null : Math.ceil((left * tookMs) / asked / 1_000);
}

/** "1 row", "10,000 rows". */
export function formatRows(count: number): string {
  return count === 1 ? '1 row' : `${formatCount(count)} rows`;
}

/** 90 as "2 min"; under a minute "12 s". */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 5_400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}
