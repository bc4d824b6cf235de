import { setTimeout as pause } from 'node:timers/promises';
import { Fault, type FaultCode, toFault } from '../../kernel/faults.ts';
import type { PubSub } from '../../kernel/store/pub-sub.ts';
import { LiveRun, type ResponseEncoder, type RunEvent, type RunIdentity } from './live-run.ts';
import { keepEnd, releaseUnkept } from './run-end.ts';
import { openRunMaintenance, type RunMaintenanceOptions } from './run-maintenance.ts';
import {
  leaseMs,
  resumeMs,
  unstoredMs,
  type RunConversation,
  type RunFile,
  type StoredRun,
} from './run-store.ts';
import type { RunStore } from './store/responses.ts';
import { readStoredEvents } from './stored-events.ts';

interface NewRun<Batch> extends RunIdentity {
  readonly previousId: string | null;
  /** JSON text. */
  readonly input: string;
  readonly encoder: ResponseEncoder<Batch>;
  /** Gets the input and the items of the run when that has ended well. It is locked by this run. */
  readonly conversation?: RunConversation | null;
  readonly work: (signal: AbortSignal) => AsyncIterable<Batch>;
  /** Called once, before the end is sent. */
  readonly onEnd: () => void;
  readonly timeoutMs: number;
  /** Room that the account has left. A longer run ends with Fault `storage_quota_exceeded`. */
  readonly bytesMax?: number;
}

export interface RunsOptions extends Omit<RunMaintenanceOptions, 'live' | 'cancel'> {
  readonly pubSub: Pick<PubSub, 'publish' | 'subscribe'>;
  readonly retentionMs: number;
  /** Logs a failure that is no defect: a Fault of a model or a search. */
  readonly onFailure: (fault: Fault) => void;
  /** The most runs in the background, in this process and of one account. */
  readonly backgroundMax?: number;
  readonly backgroundPerAccountMax?: number;
  /** Time for which a caller waits until the end of a run is stored. */
  readonly holdMs?: number;
  /** Bound on runs that are over while the store does not have their end; no run begins above it. */
  readonly unkeptBytesMax?: number;
}

/** The events of a run, of this process or another. */
interface RunEvents {
  readonly events: AsyncIterable<readonly RunEvent[]>;
  /** Events not yet sent when the reader stopped. Ends a run that cannot outlive this process. */
  readonly rest: (isStopping: boolean) => readonly RunEvent[];
}

type CancelOutcome = 'cancelling' | 'over' | 'unknown';

const eventsCharsMax = 67_108_864;
/** Together five times as long as it takes to write down what was told. */
const fileLooks = 10;
const filePauseMs = 100;
const cancelTopic = 'agent-cancel';
/** A restart of a database takes less. */
const holdDefaultMs = 30_000;
/** Time for which a server that stops waits for a store that refuses the ends of runs. */
const closeHoldMs = 5_000;

/** Runs of this process, and the stored ones of all. */
export class RunRegistry {
  readonly store: RunStore;
  readonly #options: RunsOptions;
  /** Runs that the store knows and whose end it does not have. */
  readonly #live = new Map<string, LiveRun<never>>();
  /** Runs that the store does not know yet. */
  readonly #beginning = new Set<LiveRun<never>>();
  readonly #closing = new AbortController();
  readonly #work = new Set<Promise<void>>();
  readonly #maintenance: ReturnType<typeof openRunMaintenance>;
  readonly #unsubscribe: () => void;
  #isClosed = false;

  constructor(options: RunsOptions) {
    this.#options = options;
    this.store = options.store;
    const cancel = (id: string) => this.#live.get(id)?.fail('cancelled');
    this.#unsubscribe = options.pubSub.subscribe(cancelTopic, cancel);
    this.#maintenance = openRunMaintenance({ ...options, live: () => [...this.#live.values()], cancel });
  }

  running(): number {
    return this.#live.size;
  }

  /**
   * Begins a run; resolves when the store knows it. Throws Fault `rate_limited` and `service_unavailable` when too many
   * run in the background, `conversation_locked` when it has lost its conversation to another run.
   */
  async start<Batch>(run: NewRun<Batch>): Promise<LiveRun<Batch>> {
    if (this.#isClosed) throw new Fault('service_unavailable');
    this.#admit(run.isBackground, run.accountId);
    const { id, accountId, isStored, previousId, input, encoder } = run;
    const live = new LiveRun(run, encoder);
    const { store, clock, owner, retentionMs } = this.#options;
    const createdAtMs = clock.now();
    const response = JSON.stringify(encoder.response());
    const expiresAtMs = createdAtMs + (isStored ? retentionMs : unstoredMs);
    // Counted before anything is awaited, so that the bounds hold for requests at the same time; and among the runs
    // whose events are stored only once the store has a row for them.
    this.#beginning.add(live);
    try {
      const made = { id, accountId, isStored, previousId, input, response, createdAtMs, expiresAtMs };
      const lease = { owner, leaseMs };
      if (!run.conversation) await store.insert(made, lease);
      else if (!(await store.insertHolding(run.conversation.id, made, lease)))
        throw new Fault('conversation_locked', undefined, { param: 'conversation' });
      this.#live.set(id, live);
    } finally {
      this.#beginning.delete(live);
    }
    const done = this.#pump(live, run, expiresAtMs);
    this.#work.add(done);
    void done.finally(() => this.#work.delete(done));
    if (this.#isClosed) live.fail('server_restarted');
    return live;
  }

  /** The response as it is now, as JSON text; null for one that is unknown, foreign, past its time or not stored. */
  async get(accountId: string, id: string): Promise<string | null> {
    const live = this.#mine(accountId, id);
    if (live?.isReleased === true) return JSON.stringify(live.encoder.response());
    const run = await this.find(accountId, id);
    return run?.isStored === true ? run.response : null;
  }

  /**
   * A file of a run, from when its item was told. One of a run of another process comes into the store with the event that
   * tells of it, so that it is looked for a little longer.
   */
  async readFile(
    { id, status }: StoredRun,
    fileId: string,
    signal: AbortSignal,
  ): Promise<RunFile | undefined> {
    const told = this.#live.get(id)?.encoder.files.find((file) => file.id === fileId);
    if (told !== undefined) return told;
    const mayCome = status === 'in_progress' && !this.#live.has(id);
    for (let look = 0; ; look++) {
      const found = await this.store.readFile(id, fileId);
      if (found !== undefined || !mayCome || look === fileLooks) return found;
      await pause(filePauseMs, undefined, { signal });
    }
  }

  async find(accountId: string, id: string): Promise<StoredRun | null> {
    return (await this.store.find(accountId, id, this.#options.clock.now())) ?? null;
  }

  /** Throws Fault `not_found` and `cursor_expired`. */
  async read(accountId: string, id: string, after: number | null, signal: AbortSignal): Promise<RunEvents> {
    const live = this.#mine(accountId, id);
    if (live?.isReleased === true) return readLive(live, after, signal);
    const run = await this.find(accountId, id);
    if (run === null || !run.isStored) throw unknownRun(id);
    if (live !== undefined) return readLive(live, after, signal);
    if (!isCursor(after)) throw expiredCursor();
    const { endedAtMs, lastSequence } = run;
    const isGone = endedAtMs !== null && endedAtMs + resumeMs <= this.#options.clock.now();
    if (isGone || (lastSequence !== null && after > lastSequence)) throw expiredCursor();
    return {
      events: readStoredEvents(this.store, () => this.find(accountId, id), id, after, signal),
      rest: () => [],
    };
  }

  async cancel(accountId: string, id: string): Promise<CancelOutcome> {
    const run = await this.find(accountId, id);
    if (run === null || !run.isStored) return 'unknown';
    const live = this.#live.get(id);
    if (run.status !== 'in_progress' || live?.isOver === true) return 'over';
    if (live === undefined) {
      await this.store.requestCancel(id);
      // A process that misses the message finds the mark in the store.
      await this.#options.pubSub.publish(cancelTopic, id).catch(this.#options.onError);
    } else live.fail('cancelled');
    return 'cancelling';
  }

  /** Cancels, and waits for the end of a run of this process. */
  async stop(accountId: string, id: string): Promise<CancelOutcome> {
    const outcome = await this.cancel(accountId, id);
    if (outcome === 'cancelling') await this.#live.get(id)?.ended;
    return outcome;
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    if ((await this.stop(accountId, id)) === 'unknown') return false;
    return this.store.remove(accountId, id);
  }

  /** Ends every run of this process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    for (const live of this.#live.values()) live.fail('server_restarted');
    const timer = setTimeout(() => this.#closing.abort(new Error('the server stops')), closeHoldMs);
    await Promise.all(this.#work);
    clearTimeout(timer);
    await this.#maintenance.close();
  }

  /** A run of this process that this account may see. */
  #mine(accountId: string, id: string): LiveRun<never> | undefined {
    const live = this.#live.get(id);
    return live?.accountId === accountId && live.isStored ? live : undefined;
  }

  #admit(isBackground: boolean, accountId: string): void {
    const { backgroundMax = 200, backgroundPerAccountMax = 20, unkeptBytesMax = 268_435_456 } = this.#options;
    const refuse = (code: FaultCode, message: string): never => {
      throw new Fault(code, message, { retryAfterMs: 5_000 });
    };
    const all = [...this.#beginning, ...this.#live.values()];
    const unkept = all.reduce((sum, live) => sum + (live.isOver ? live.size : 0), 0);
    if (unkept > unkeptBytesMax)
      refuse('service_unavailable', 'The store takes no responses, please try again later.');
    if (!isBackground) return;
    const inBackground = all.filter((run) => run.isBackground);
    if (inBackground.length >= backgroundMax)
      refuse('service_unavailable', 'Too many runs are in the background, please try again later.');
    if (inBackground.filter((run) => run.accountId === accountId).length >= backgroundPerAccountMax)
      refuse(
        'rate_limited',
        `At most ${backgroundPerAccountMax} runs of an account in the background at a time`,
      );
  }

  async #pump<Batch>(live: LiveRun<Batch>, run: NewRun<Batch>, expiresAtMs: number): Promise<void> {
    const { onError, clock } = this.#options;
    const timer = setTimeout(() => live.fail('timeout'), run.timeoutMs);
    const aborted = new Promise<void>((resolve) => {
      live.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    // Work that ignores its signal must not delay the end.
    await Promise.race([work(live, run, this.#options), aborted]);
    clearTimeout(timer);
    try {
      run.onEnd();
      await keepEnd(live, {
        store: this.store,
        clock,
        settle: () => this.#maintenance.settle(run.id),
        expiresAtMs,
        conversation: run.conversation ?? null,
        holdMs: this.#options.holdMs ?? holdDefaultMs,
        closing: this.#closing.signal,
        onError,
      });
    } catch (error) {
      onError(error);
    } finally {
      this.#live.delete(run.id);
      live.release();
    }
  }
}

function readLive(live: LiveRun<never>, after: number | null, signal: AbortSignal): RunEvents {
  if (!isCursor(after)) throw expiredCursor();
  const reader = live.read(after, signal);
  const rest = (isStopping: boolean) => {
    if (!isStopping) return [];
    live.fail('server_restarted');
    releaseUnkept(live);
    return live.eventsAfter(reader.position);
  };
  return { events: reader, rest };
}

function isCursor(after: number | null): after is number {
  return after !== null && Number.isSafeInteger(after) && after >= -1;
}

async function work<Batch>(
  live: LiveRun<Batch>,
  run: NewRun<Batch>,
  { onError, onFailure }: Pick<RunsOptions, 'onError' | 'onFailure'>,
): Promise<void> {
  const { bytesMax = Infinity } = run;
  try {
    for await (const batch of run.work(live.signal)) {
      live.push(batch);
      if (live.isOver) break;
      if (live.size > bytesMax) throw new Fault('storage_quota_exceeded');
      if (live.size > eventsCharsMax) throw new Error('the events of a run are longer than is kept of one');
    }
    if (!live.isOver) throw new Error('a run has stopped without an end');
  } catch (error) {
    if (live.isOver) return;
    const fault = toFault(error);
    if (fault.status === 500) onError(error);
    else onFailure(fault);
    live.fail(fault);
  }
}

export function unknownRun(id: string): Fault {
  return new Fault('not_found', `response "${id.slice(0, 100)}" not found`);
}

function expiredCursor(): Fault {
  return new Fault('cursor_expired', undefined, { param: 'starting_after' });
}
