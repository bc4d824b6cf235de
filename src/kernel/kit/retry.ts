import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from './clock.ts';

export interface RetryPolicy {
  readonly retriesMax: number;
  /** Longest first wait, doubled for each retry. Unit: ms. */
  readonly baseMs: number;
  /** Longest wait of our own choice. Unit: ms. */
  readonly capMs: number;
  /** Longest wait that a server may ask for. Unit: ms. */
  readonly retryAfterMaxMs: number;
}

/** Replaced by tests, which neither wait nor roll dice. */
export interface RetryDependencies {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Rejects with the signal's reason when it aborts. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** `afterMs`: retry, after the wait that the server asked for. */
export type RetryVerdict = 'done' | { readonly afterMs: number | null };

export interface RetryBounds {
  /** Monotonic time; no attempt begins at or after it. */
  readonly deadlineAt: number;
  readonly signal: AbortSignal;
}

/** Exponential backoff with full jitter, so that callers that failed together do not return together. */
export function backoffMs({ baseMs, capMs }: RetryPolicy, retry: number, random: () => number): number {
  return random() * Math.min(capMs, baseMs * 2 ** retry);
}

/**
 * Repeats an attempt until its outcome is done, retries run out, or the wait would pass the deadline; then returns
 * the last outcome. Exceptions pass through, so an abort is never retried.
 */
export async function retrying<Outcome>(
  attempt: (retry: number) => Promise<Outcome>,
  judge: (outcome: Outcome) => RetryVerdict,
  policy: RetryPolicy,
  { clock, random, sleep = sleepFor }: RetryDependencies,
  { deadlineAt, signal }: RetryBounds,
): Promise<Outcome> {
  for (let retry = 0; ; retry++) {
    signal.throwIfAborted();
    const outcome = await attempt(retry);
    const verdict = judge(outcome);
    if (verdict === 'done' || retry >= policy.retriesMax) return outcome;
    const asked = verdict.afterMs ?? 0;
    if (asked > policy.retryAfterMaxMs) return outcome;
    // Never earlier than asked, and not everyone at that moment.
    const waitMs = asked + backoffMs(policy, retry, random);
    if (clock.monotonic() + waitMs >= deadlineAt) return outcome;
    await sleep(waitMs, signal);
  }
}

/**
 * Repeats a write until it succeeds or `forMs` are over, with waits that double from 50 ms: a store that is away for a
 * moment must not cost what was worked out. Rejects with the last error, and at once where the signal has aborted.
 */
export async function insist(
  write: () => Promise<unknown>,
  { clock, forMs, signal }: { readonly clock: Clock; readonly forMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const untilAt = clock.monotonic() + forMs;
  for (let waitMs = 50; ; waitMs *= 2) {
    try {
      await write();
      return;
    } catch (error) {
      if (signal.aborted || clock.monotonic() + waitMs > untilAt) throw error;
      await pause(waitMs);
    }
  }
}

async function sleepFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The wait asked for by `retry-after-ms` or `retry-after` (seconds or a date); null without a readable one. */
export function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const exact = numberOf(headers['retry-after-ms']);
  if (exact !== null) return exact;
  const value = headers['retry-after'];
  const seconds = numberOf(value);
  if (seconds !== null) return seconds * 1_000;
  const date = typeof value === 'string' && /^[a-z]{3,9}, /i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}

function numberOf(value: Headers[string]): number | null {
  return typeof value === 'string' && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : null;
}
