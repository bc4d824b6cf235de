import { setTimeout as pause } from 'node:timers/promises';
import { raceSignal } from '../../kernel/kit/abort.ts';
import type { LiveRun } from './live-run.ts';
import { takeStoredEvents, toStoredEvents } from './stored-events.ts';
import type { RunMaintenanceOptions } from './run-maintenance.ts';
import {
  resumeMs,
  unstoredMs,
  type RunConversation,
  type StoredEnd,
  type StoredEvents,
} from './run-store.ts';

interface EndOptions extends Pick<RunMaintenanceOptions, 'store' | 'clock' | 'onError'> {
  /** Waits for events that are being written; resolves to those that could not be. */
  readonly settle: () => Promise<readonly StoredEvents[]>;
  readonly expiresAtMs: number;
  readonly conversation: RunConversation | null;
  /** Time for which a caller waits for a store that refuses the end. */
  readonly holdMs: number;
  /** Aborts when this process stops waiting for the store. */
  readonly closing: AbortSignal;
}

const pauseMinMs = 50;
const pauseMaxMs = 5_000;

/**
 * Ends a run: stores its response, remaining events, items and files, then releases its end.
 *
 * 1. A stored run is reported as completed only when the store has that end; a store that is away is asked again for as
 *    long as this process lives. A caller that waits hears after `holdMs` that the run failed because it could not be
 *    stored, and from then on that failure is what is stored.
 * 2. A process that dies before that leaves a run whose lease runs out, which another process ends as failed. So the
 *    store never contradicts the status that a caller has seen.
 *
 *   running -> held -> released, stored
 *              held -> released as failed -> stored         the store was away for `holdMs`
 *              held -> released as failed                   this process closes
 */
export async function keepEnd(live: LiveRun<never>, options: EndOptions): Promise<void> {
  // No caller waits for a run in the background: it stays in progress until the store has its end.
  const timer = live.isBackground ? undefined : setTimeout(() => releaseUnkept(live), options.holdMs);
  try {
    const before = await raceSignal(options.settle(), options.closing);
    const events = [...before, ...takeStoredEvents(live, options.clock.now())];
    const first = toEnd(live, events, options, null);
    let written = first;
    for (let attempt = 0; ; attempt++) {
      const outcome = await write(live, written.end, attempt === 0, options);
      // While it was written, a failure may have been released in its place.
      const isCurrent = written.line === live.end?.data;
      if (outcome === 'over' || (outcome === 'stored' && isCurrent)) break;
      if (!isCurrent) written = toEnd(live, events, options, first.end.response);
      if (outcome === 'refused') await pause(pauseAfter(attempt), undefined, { signal: options.closing });
    }
    live.release();
  } finally {
    clearTimeout(timer);
    releaseUnkept(live);
  }
}

const pauseAfter = (attempt: number) => Math.min(pauseMaxMs, pauseMinMs * 2 ** Math.min(attempt, 10));

/** `over`: another process has ended or deleted the run, which becomes its end unless one was released. */
async function write(
  live: LiveRun<never>,
  end: StoredEnd,
  isFirst: boolean,
  { store, clock, closing, onError }: EndOptions,
): Promise<'stored' | 'over' | 'refused'> {
  try {
    if (await raceSignal(store.end(end), closing)) return 'stored';
    const found = await raceSignal(store.find(live.accountId, live.id, clock.now()), closing);
    // Stored before: only the answer of the store was lost.
    if (found?.response === end.response) return 'stored';
    live.replaceEnd(found === undefined ? 'cancelled' : 'server_restarted');
    return 'over';
  } catch (error) {
    closing.throwIfAborted();
    if (isFirst) onError(error);
    return 'refused';
  }
}

/** Releases the end of a run that the store does not have: a failure, unless it is not to be stored or has failed. */
export function releaseUnkept(live: LiveRun<never>): void {
  if (live.isStored && live.encoder.status !== 'failed') live.replaceEnd('not_stored');
  live.release();
}

function toEnd(
  live: LiveRun<never>,
  events: readonly StoredEvents[],
  { clock, expiresAtMs, conversation }: EndOptions,
  replaces: string | null,
): { readonly end: StoredEnd; readonly line: string } {
  const { encoder, id, isStored, end: last } = live;
  const { status } = encoder;
  if (last === null || status === 'in_progress') throw new Error('a run that has not ended');
  const endedAtMs = clock.now();
  const end: StoredEnd = {
    id,
    status,
    response: JSON.stringify(encoder.response()),
    lastSequence: last.sequence,
    endedAtMs,
    expiresAtMs: isStored ? expiresAtMs : endedAtMs + unstoredMs,
    eventsExpireAtMs: endedAtMs + resumeMs,
    events: isStored ? [...events, ...toStoredEvents(id, [last])] : [],
    items: isStored ? encoder.items : [],
    files: isStored ? encoder.files : [],
    conversation: conversation && {
      id: conversation.id,
      items: [...conversation.items, ...encoder.items],
      isKept: status !== 'failed',
      expiresAtMs,
    },
    replaces,
  };
  return { end, line: last.data };
}
