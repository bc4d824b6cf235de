import { setTimeout as pause } from 'node:timers/promises';
import type { RunEvent } from './live-run.ts';
import { fromStoredEvents } from './run-record.ts';
import type { RunStore, StoredRun } from './run-store.ts';

/** How often is looked for new lines of a run of another process. Unit: ms. */
const pollMs = 200;

/** Lines of a run of another process, or of one that is over, as they come into the store. */
export async function* readStoredLines(
  store: RunStore,
  find: () => Promise<StoredRun | null>,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly RunEvent[]> {
  let position = after;
  for (;;) {
    // Whether it is over is asked first: what it told before that is there by then.
    const run = await find();
    const lines = fromStoredEvents(await store.readEvents(id, position), position);
    signal.throwIfAborted();
    position = lines.at(-1)?.sequence ?? position;
    if (lines.length > 0) yield lines;
    if (run === null || run.status !== 'in_progress') return;
    await pause(pollMs, undefined, { signal });
  }
}
