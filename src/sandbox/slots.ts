import { Fault } from '../faults.ts';
import type { SandboxRunner } from './runner.ts';

export interface SlotOptions {
  /** Runs at the same time. */
  readonly runsMax: number;
  /** Runs that wait for a place; one more is refused. */
  readonly waitingMax: number;
}

/** How long a refused run is told to wait. Unit: ms. */
const retryMs = 2_000;

/** Bounds how many runs are under way, first come, first served. */
export function withSlots(runner: SandboxRunner, { runsMax, waitingMax }: SlotOptions): SandboxRunner {
  let busy = 0;
  const waiting: (() => void)[] = [];

  async function enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (busy < runsMax) {
      busy++;
      return;
    }
    if (waiting.length >= waitingMax)
      throw new Fault('service_unavailable', 'The sandbox is busy, please try again later.', {
        retryAfterMs: retryMs,
      });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      // A run that has just been given a place is no longer in the list; it gives the place back by itself.
      const index = waiting.indexOf(resolve);
      if (index !== -1) waiting.splice(index, 1);
      reject(signal.reason as Error);
    };
    waiting.push(resolve);
    signal.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** The place of a run that ended is the next one's, without being free in between. */
  function exit(): void {
    const next = waiting.shift();
    if (next === undefined) busy--;
    else next();
  }

  return {
    name: runner.name,
    languages: runner.languages,
    async run(run, limits, signal) {
      await enter(signal);
      try {
        return await runner.run(run, limits, signal);
      } finally {
        exit();
      }
    },
    close: () => runner.close(),
  };
}
