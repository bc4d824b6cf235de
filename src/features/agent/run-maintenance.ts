import { Fault } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { LiveRun, RunEvent } from './live-run.ts';
import { fromStoredEvents, toStoredEvents } from './run-record.ts';
import type { RunStore, StoredEvents, StoredRun } from './run-store.ts';

/** The end of a run whose process has gone, made of what it left. */
export type EndAbandoned = (
  run: StoredRun,
  lines: readonly RunEvent[],
) => {
  readonly response: string;
  readonly line: RunEvent;
  readonly items: readonly { readonly id: string; readonly item: string }[];
};

export interface RunUpkeepOptions {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly owner: string;
  readonly isAlone: boolean;
  readonly leaseMs: number;
  readonly resumeMs: number;
  readonly endAbandoned: EndAbandoned;
  readonly onError: (error: unknown) => void;
  readonly live: () => readonly LiveRun<never>[];
  readonly cancel: (id: string) => void;
  /** Those of these accounts that may keep no more. */
  readonly fullAccounts?: (accountIds: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** Lines of all runs are written together so often. */
const flushEveryMs = 200;
const cancelledEveryMs = 1_000;
const fullEveryMs = 1_000;
const forgetEveryMs = 600_000;
/** Lines of a run that has not ended may be read as long as it runs. */
const runningMs = 86_400_000;
const abandonedPerTurn = 100;

export interface RunUpkeep {
  /** Waits for lines of a run that are being written; gives back those that could not be. */
  settle(id: string): Promise<readonly StoredEvents[]>;
  close(): Promise<void>;
}

/** What is done for runs beside the requests: lines into the store, leases, marks of others, ends of lost runs. */
export function openRunUpkeep(options: RunUpkeepOptions): RunUpkeep {
  const { store, clock, owner, isAlone, leaseMs, live } = options;
  /** Taken, and not yet in the store. */
  let pending: readonly StoredEvents[] = [];
  let flushing: Promise<void> = Promise.resolve();
  let hasEndedLost = false;

  async function write(events: readonly StoredEvents[]): Promise<void> {
    await store.appendEvents(events, clock.now() + runningMs);
    pending = pending.filter((one) => !events.includes(one));
  }

  function flush(): Promise<void> {
    const runs = live().filter(({ isOver, isStored }) => isStored && !isOver);
    pending = [...pending, ...runs.flatMap((run) => toStoredEvents(run.id, run.takeUnstored()))];
    if (pending.length === 0) return flushing;
    const written = write(pending);
    // Whoever runs this task hears of a failure.
    flushing = written.catch(() => {});
    return written;
  }

  async function renew(): Promise<void> {
    if (live().length > 0) await store.renew({ owner, leaseMs });
    await endLost();
  }

  async function endLost(): Promise<void> {
    if (!isAlone) await endAbandonedRuns(options, null);
    // What earlier processes left is ended once; until that has worked it is tried again.
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
    async settle(id) {
      await flushing;
      const left = pending.filter((one) => one.id === id);
      pending = pending.filter((one) => one.id !== id);
      return left;
    },
    async close() {
      await Promise.all([began, ...timers.map((timer) => timer.close())]);
    },
  };
}

/** Several runs of one account, in several processes, fill what it may keep together. */
async function endFull({ live, fullAccounts }: RunUpkeepOptions): Promise<void> {
  const stored = live().filter(({ isOver, isStored }) => isStored && !isOver);
  if (stored.length === 0 || fullAccounts === undefined) return;
  const full = await fullAccounts([...new Set(stored.map(({ accountId }) => accountId))]);
  for (const run of stored) if (full.has(run.accountId)) run.fail(new Fault('storage_quota_exceeded'));
}

/** Two processes may find the same run; the store lets one of them end it. One that cannot be ended keeps no other. */
async function endAbandonedRuns(options: RunUpkeepOptions, exceptOwner: string | null): Promise<void> {
  const errors: unknown[] = [];
  for (;;) {
    const runs = await options.store.listAbandoned(abandonedPerTurn, exceptOwner);
    const before = errors.length;
    for (const run of runs) await endOne(run, options).catch((error: unknown) => errors.push(error));
    if (errors.length > before || runs.length < abandonedPerTurn) break;
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} lost runs could not be ended`);
}

async function endOne(
  run: StoredRun,
  { store, clock, resumeMs, endAbandoned }: RunUpkeepOptions,
): Promise<void> {
  const lines = fromStoredEvents(await store.readEvents(run.id, -1), -1);
  const { response, line, items } = endAbandoned(run, lines);
  const endedAtMs = clock.now();
  await store.end({
    id: run.id,
    status: 'failed',
    response,
    lastSequence: line.sequence,
    endedAtMs,
    expiresAtMs: run.expiresAtMs,
    eventsExpireAtMs: endedAtMs + resumeMs,
    events: toStoredEvents(run.id, [line]),
    items,
    files: [],
    replaces: null,
  });
}

interface Timer {
  close(): Promise<void>;
}

/** Runs a task again and again, never beside itself. Keeps no process alive. Of failures in a row the first is told. */
function every(pauseMs: number, task: () => Promise<void>, onError: (error: unknown) => void): Timer {
  let running: Promise<void> = Promise.resolve();
  let hasFailed = false;
  let timer: NodeJS.Timeout | undefined = setTimeout(run, pauseMs).unref();

  function run(): void {
    running = task()
      .then(
        () => void (hasFailed = false),
        (error: unknown) => {
          if (!hasFailed) onError(error);
          hasFailed = true;
        },
      )
      .finally(() => {
        if (timer !== undefined) timer = setTimeout(run, pauseMs).unref();
      });
  }

  return {
    async close() {
      clearTimeout(timer);
      timer = undefined;
      await running;
    },
  };
}
