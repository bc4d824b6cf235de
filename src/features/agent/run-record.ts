import type { RunEvent } from './live-run.ts';
import type { StoredEvents } from './run-store.ts';

/** Lines as they are stored: one list of `[sequence, event, data]`. */
export function toStoredEvents(id: string, lines: readonly RunEvent[]): readonly StoredEvents[] {
  const [first] = lines;
  if (first === undefined) return [];
  const list = lines.map(({ sequence, event, data }) => [sequence, event, data]);
  return [{ id, firstSequence: first.sequence, lines: JSON.stringify(list) }];
}

/** The reverse, without those up to `after`. */
export function fromStoredEvents(events: readonly StoredEvents[], after: number): readonly RunEvent[] {
  return events.flatMap(({ lines }) => {
    const list = JSON.parse(lines) as readonly (readonly [number, string, string])[];
    return list.flatMap(([sequence, event, data]) => (sequence > after ? [{ sequence, event, data }] : []));
  });
}
