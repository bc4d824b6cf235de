import { Fault } from '../../kernel/faults.ts';
import { SlotsFull, type FairSlots } from '../../kernel/kit/fair-slots.ts';
import type { SandboxRunner, SharedRunner } from './runner.ts';

/** Retry-After of a refused run. Unit: ms. */
const retryMs = 2_000;

/** Bounds how many runs are under way, and shares the slots by account. `closing` ends them, and `close` waits for that. */
export function withSlots(
  runner: SandboxRunner,
  slots: FairSlots,
  closing = new AbortController().signal,
): SharedRunner {
  const running = new Set<Promise<unknown>>();
  return {
    name: runner.name,
    languages: runner.languages,
    async run(run, limits, signal, account) {
      const leave = await slots.enter(account, signal).catch((error: unknown) => {
        if (!(error instanceof SlotsFull)) throw error;
        throw new Fault('service_unavailable', 'The sandbox is busy, please try again later.', {
          retryAfterMs: retryMs,
        });
      });
      const within = AbortSignal.any([signal, closing]);
      const result = Promise.try(() => runner.run(run, limits, within)).finally(leave);
      running.add(result);
      try {
        return await result;
      } finally {
        running.delete(result);
      }
    },
    async close() {
      await Promise.allSettled(running);
      await runner.close();
    },
  };
}
