import { Fault } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import { every } from '../../kernel/kit/every.ts';
import type { LiveRun, RunEvent } from './live-run.ts';
import { fromStoredEvents, takeStoredEvents, toStoredEvents } from './stored-events.ts';
import { leaseMs, resumeMs, type StoredEnd, type StoredEvents, type StoredRun } from './run-store.ts';
import type { RunStore } from './store/responses.ts';

/** Builds the end of a run whose process has gone, from the events that it left. */
export type EndAbandoned = (
  run: StoredRun,
  events: readonly RunEvent[],
) => {
  readonly response: string;
  readonly event: RunEvent;
  readonly items: StoredEnd['items'];
};

export interface RunMaintenanceOptions {
  readonly store: RunStore;
  readonly clock: Clock;
  /** Unique to this process; never reused. */
  readonly owner: string;
  /** True where this process is the only one of its store: what others left running has ended. */
  readonly isAlone: boolean;
  readonly endAbandoned: EndAbandoned;
  /** A defect, or a store that is away. */
  readonly onError: (error: unknown) => void;
  readonly live: () => readonly LiveRun<never>[];
  readonly cancel: (id: string) => void;
  /** Filters accounts to those whose storage is full; none by default. */
  readonly fullAccounts?: (accountIds: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** Interval at which events of all runs are written together. */
const flushEveryMs = 200;
const cancelledEveryMs = 1_000;
const fullEveryMs = 1_000;
const forgetEveryMs = 600_000;
/** Time for which events of a run that has not ended are kept. */
const runningMs = 86_400_000;
const abandonedPerTurn = 100;

/** Work on runs beside the requests: storing events, renewing leases, cancelling, ending abandoned runs. */
export function openRunMaintenance(options: RunMaintenanceOptions) {
  const { store, clock, owner, isAlone, live } = options;
  /** Events on their way into the store. */
  let pending: readonly StoredEvents[] = [];
  let flushing: Promise<void> = Promise.resolve();
  let hasEndedLost = false;

  async function write(events: readonly StoredEvents[]): Promise<void> {
    await store.appendEvents(events, clock.now() + runningMs);
    pending = pending.filter((one) => !events.includes(one));
  }

  function flush(): Promise<void> {
    const runs = live().filter(({ isOver, isStored }) => isStored && !isOver);
    pending = [...pending, ...runs.flatMap((run) => takeStoredEvents(run, clock.now()))];
    if (pending.length === 0) return flushing;
    const written = write(pending);
    // The task that flushes reports a failure.
    flushing = written.catch(() => {});
    return written;
  }

  async function renew(): Promise<void> {
    if (live().length > 0) await store.renew({ owner, leaseMs });
    await endLost();
  }

  async function endLost(): Promise<void> {
    if (!isAlone) await endAbandonedRuns(options, null);
    // Runs of earlier processes are ended once; until that has worked it is tried again.
    else if (!hasEndedLost) await endAbandonedRuns(options, owner);
    hasEndedLost = true;
  }

  async function findCancelled(): Promise<void> {
    if (isAlone || live().length === 0) return;
    for (const id of await store.listCancelled(owner)) options.cancel(id);
  }

  async function forget(): Promise<void> {
    await store.forget(clock.now());
  }

  const first = endLost().then(forget);
  const timers = [
    every(flushEveryMs, flush, options.onError),
    every(leaseMs / 3, renew, options.onError),
    every(cancelledEveryMs, findCancelled, options.onError),
    every(fullEveryMs, () => endFull(options), options.onError),
    every(forgetEveryMs, forget, options.onError),
  ];
  const began = first.catch(options.onError);
  return {
    /** Waits for events of a run that are being written; resolves to those that could not be. */
    async settle(id: string): Promise<readonly StoredEvents[]> {
      await flushing;
      const left = pending.filter((one) => one.id === id);
      pending = pending.filter((one) => one.id !== id);
      return left;
    },
    async close(): Promise<void> {
      await Promise.all([began, ...timers.map((timer) => timer.close())]);
    },
  };
}

/** Ends runs of accounts whose storage is full: their runs in all processes share it. */
async function endFull({ live, fullAccounts }: RunMaintenanceOptions): Promise<void> {
  const stored = live().filter(({ isOver, isStored }) => isStored && !isOver);
  if (stored.length === 0 || fullAccounts === undefined) return;
  const full = await fullAccounts([...new Set(stored.map(({ accountId }) => accountId))]);
  for (const run of stored) if (full.has(run.accountId)) run.fail(new Fault('storage_quota_exceeded'));
}

/** Ends abandoned runs. Of two processes that find the same run the store lets one end it; a failure delays no other. */
async function endAbandonedRuns(options: RunMaintenanceOptions, exceptOwner: string | null): Promise<void> {
  const errors: unknown[] = [];
  for (;;) {
    const runs = await options.store.listAbandoned(abandonedPerTurn, exceptOwner);
    const before = errors.length;
    for (const run of runs) await endOne(run, options).catch((error: unknown) => errors.push(error));
    if (errors.length > before || runs.length < abandonedPerTurn) break;
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} lost runs could not be ended`);
}

async function endOne(run: StoredRun, { store, clock, endAbandoned }: RunMaintenanceOptions): Promise<void> {
  await store.endLost(run.id, (stored) => {
    const { response, event, items } = endAbandoned(run, fromStoredEvents(stored, -1));
    const endedAtMs = clock.now();
    return {
      id: run.id,
      status: 'failed',
      response,
      lastSequence: event.sequence,
      endedAtMs,
      expiresAtMs: run.expiresAtMs,
      eventsExpireAtMs: endedAtMs + resumeMs,
      events: toStoredEvents(run.id, [event]),
      items,
      files: [],
      replaces: null,
    };
  });
}
