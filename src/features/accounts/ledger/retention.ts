import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../../kernel/kit/clock.ts';
import type { Usage } from '../store/usage.ts';

interface RetentionOptions {
  readonly usage: Pick<Usage, 'forget'>;
  readonly clock: Clock;
  /** How long rows are kept. Unit: ms. */
  readonly keepMs: number;
  readonly onError: (error: unknown) => void;
  /** Also before the first time: a clock that is wrong at the start of a machine should be right by then. */
  readonly everyMs?: number;
}

const dayMs = 86_400_000;
const rowsPerStep = 1_000;
/** Between steps, so that others get their turn at the store. */
const stepPauseMs = 20;

/** Removes rows of the ledger that are older than they are kept, by whole days in UTC. Their sums by day stay. */
export function openRetention({ usage, clock, keepMs, onError, everyMs = 3_600_000 }: RetentionOptions) {
  const closing = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    running = run().catch(onError);
  }, everyMs).unref();

  async function run(): Promise<number> {
    const beforeMs = Math.floor((clock.now() - keepMs) / dayMs) * dayMs;
    let removed = 0;
    while (!closing.signal.aborted) {
      const step = await usage.forget(beforeMs, rowsPerStep);
      removed += step;
      if (step < rowsPerStep) break;
      await pause(stepPauseMs, undefined, { ref: false });
    }
    return removed;
  }

  return {
    /** Removes what is due, in bounded steps. Resolves to the number of rows. */
    run,
    async close(): Promise<void> {
      clearInterval(timer);
      closing.abort();
      await running;
    },
  };
}
