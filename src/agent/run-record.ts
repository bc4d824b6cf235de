import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../kit/clock.ts';
import type { LiveRun, RunLine } from './live-run.ts';
import type { RunStore, StoredEnd, StoredEvents } from './run-store.ts';

/** How often the end of a run is written again when the store is away. Pauses double from 50 ms. */
const attemptsMax = 8;

export interface RecordOptions {
  readonly store: RunStore;
  readonly clock: Clock;
  /** Lines that were taken and could not be stored. */
  readonly before: readonly StoredEvents[];
  readonly expiresAtMs: number;
  readonly resumeMs: number;
  readonly unstoredMs: number;
}

/** Writes the end of a run: response, what is left of its lines, items and files. Rejects when the store stays away. */
export async function keepEnd(live: LiveRun<never>, options: RecordOptions): Promise<void> {
  const { teller, id, isStored } = live;
  const { store, clock, before, resumeMs, unstoredMs } = options;
  const unstored = live.takeUnstored();
  const status = teller.status();
  if (status === 'in_progress') return;
  const endedAtMs = clock.now();
  const end: StoredEnd = {
    id,
    status,
    response: JSON.stringify(teller.response()),
    lastSequence: unstored.at(-1)?.sequence ?? 0,
    endedAtMs,
    expiresAtMs: isStored ? options.expiresAtMs : endedAtMs + unstoredMs,
    eventsExpireAtMs: endedAtMs + resumeMs,
    events: isStored ? [...before, ...toStoredEvents(id, unstored)] : [],
    items: isStored ? teller.items() : [],
    files: isStored ? teller.files() : [],
  };
  for (let attempt = 1; ; attempt++) {
    try {
      await store.end(end);
      return;
    } catch (error) {
      if (attempt >= attemptsMax) throw error;
      await pause(50 * 2 ** (attempt - 1));
    }
  }
}

/** Lines as they are stored: one list of `[sequence, event, data]`. */
export function toStoredEvents(id: string, lines: readonly RunLine[]): readonly StoredEvents[] {
  const [first] = lines;
  if (first === undefined) return [];
  const list = lines.map(({ sequence, event, data }) => [sequence, event, data]);
  return [{ id, firstSequence: first.sequence, lines: JSON.stringify(list) }];
}

/** The reverse, without those up to `after`. */
export function fromStoredEvents(events: readonly StoredEvents[], after: number): readonly RunLine[] {
  return events.flatMap(({ lines }) => {
    const list = JSON.parse(lines) as readonly (readonly [number, string, string])[];
    return list.flatMap(([sequence, event, data]) => (sequence > after ? [{ sequence, event, data }] : []));
  });
}
