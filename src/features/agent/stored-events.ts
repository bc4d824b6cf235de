import { setTimeout as pause } from 'node:timers/promises';
import type { LiveRun, RunEvent } from './live-run.ts';
import type { StoredEvents, StoredRun } from './run-store.ts';
import type { RunStore } from './store/responses.ts';

/** Interval at which events of a run of another process are looked for. Unit: ms. */
const pollMs = 200;

/** Reads events of a run of another process, or of one that is over, as they come into the store. */
export async function* readStoredEvents(
  store: RunStore,
  find: () => Promise<StoredRun | null>,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly RunEvent[]> {
  let position = after;
  for (;;) {
    // Whether it is over is asked first: its events until then are in the store.
    const run = await find();
    const lines = fromStoredEvents(await store.readEvents(id, position), position);
    signal.throwIfAborted();
    position = lines.at(-1)?.sequence ?? position;
    if (lines.length > 0) yield lines;
    if (run === null || run.status !== 'in_progress') return;
    await pause(pollMs, undefined, { signal });
  }
}

/** What a run has told since it was taken the last time. */
export function takeStoredEvents(live: LiveRun<never>, nowMs: number): readonly StoredEvents[] {
  const { events, files, firstFile } = live.takeUnstored();
  const stored = files.map((file, at) => ({ ...file, position: firstFile + at, createdAtMs: nowMs }));
  return toStoredEvents(live.id, events, stored);
}

/** Events as they are stored: one list of `[sequence, event, data]`. */
export function toStoredEvents(
  id: string,
  lines: readonly RunEvent[],
  files: StoredEvents['files'] = [],
): readonly StoredEvents[] {
  const [first] = lines;
  if (first === undefined) return [];
  const list = lines.map(({ sequence, event, data }) => [sequence, event, data]);
  return [{ id, firstSequence: first.sequence, lines: JSON.stringify(list), files }];
}

/** The reverse, without those up to `after`. */
export function fromStoredEvents(events: readonly StoredEvents[], after: number): readonly RunEvent[] {
  return events.flatMap(({ lines }) => {
    const list = JSON.parse(lines) as readonly (readonly [number, string, string])[];
    return list.flatMap(([sequence, event, data]) => (sequence > after ? [{ sequence, event, data }] : []));
  });
}
