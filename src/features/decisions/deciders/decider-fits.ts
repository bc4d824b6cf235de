import { ExampleError } from '../../../kernel/commands/exit-codes.ts';
import { Fault, invalidValue } from '../../../kernel/faults.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';
import { every } from '../../../kernel/kit/every.ts';
import { FairSlots, SlotsFull } from '../../../kernel/kit/fair-slots.ts';
import { shortId, type Ids } from '../../../kernel/kit/ids.ts';
import { JobError } from '../../../kernel/kit/job-thread.ts';
import type { Target } from '../guarantee/threshold.ts';
import { fitDecider } from '../learning/fit-decider.ts';
import type { FitThreads } from '../learning/fit-threads.ts';
import type { KeptCase } from '../learning/lessons.ts';
import { shareOf } from '../learning/read-states.ts';
import { toHeadsText } from '../learning/heads-text.ts';
import type { ExampleRow, ExampleStore } from '../store/examples.ts';
import type { FitEnd, FitRow, FitStore } from '../store/fits.ts';
import type { OfDecider } from '../store/learning.ts';
import type { VectorsOf } from './example-vectors.ts';
import type { ReadAhead } from './read-ahead.ts';
import { unknownDecider, type StoredDeciders, type StoredPupil } from './stored-deciders.ts';

export interface DeciderFitsOptions {
  readonly store: FitStore;
  readonly examples: Pick<ExampleStore, 'list'>;
  readonly deciders: Pick<StoredDeciders, 'pupil' | 'get'>;
  readonly threads: FitThreads;
  readonly readAhead: Pick<ReadAhead, 'stop'>;
  readonly vectorsOf: VectorsOf;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Unique to this process; never reused. */
  readonly owner: string;
  /** True where this process is the only one of its store: what others left running has failed. */
  readonly isAlone: boolean;
  /** A defect, or a store that is away. */
  readonly onError: (error: unknown) => void;
  /** Default 15,000. Unit: ms. */
  readonly leaseMs?: number;
}

/** Fits at once: each holds its examples, and keeps a thread busy. */
export const fitsAtOnce = 2;
const waitingMax = 64;
const keptFits = { takenMax: 5, othersMax: 10 };
const pageLength = 250;
/** From when it begins to work. Unit: ms. */
const timeoutMs = 600_000;

interface AskedFit {
  readonly room: number;
  readonly target: Target | null;
}

interface Run {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/**
 * Fits of deciders of accounts, beside the requests. The store has their state; a fit belongs to this process as long as its
 * lease, and one that was ended elsewhere is aborted here. Its end is refused by the store then, so it ends once.
 */
export class DeciderFits {
  readonly #options: DeciderFitsOptions;
  readonly #leaseMs: number;
  readonly #slots = new FairSlots({ slotsMax: fitsAtOnce, waitingMax });
  readonly #runs = new Map<string, Run>();
  readonly #timer: ReturnType<typeof every>;
  readonly #begun: Promise<void>;
  #hasEndedLost = false;

  constructor(options: DeciderFitsOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? 15_000;
    this.#begun = this.#endLost().catch(options.onError);
    this.#timer = every(this.#leaseMs / 3, () => this.#maintain(), options.onError);
  }

  /**
   * Begins a fit. `room` is how many bytes the account may still store; `target` is a bound on the error for which the report
   * says the confidence. Throws Fault `not_found`, `invalid_value` for a
   * decider that cannot learn or has no examples, and `conflict` while another fit of the account runs.
   */
  async start(of: OfDecider, room: number, target: Target | null = null): Promise<FitRow> {
    const { deciders, store, clock, ids, owner } = this.#options;
    await this.#begun;
    const pupil = await deciders.pupil(of.accountId, of.decider);
    const [first] = await this.#page(of, null, 1);
    if (first === undefined) throw invalidValue('There are no examples to learn from', 'decider');
    const id = `fit_${shortId(ids)}`;
    const begun = { ...of, id, createdAtMs: clock.now() };
    const outcome = await store.begin(begun, { owner, leaseMs: this.#leaseMs }, keptFits);
    if (outcome === null) throw unknownDecider();
    if (outcome === 'busy')
      throw new Fault('conflict', 'A fit of this account is running; wait for its end, or cancel it');
    const controller = new AbortController();
    const asked = { room, target };
    const done = this.#work(of, id, pupil, asked, controller.signal).finally(() => this.#runs.delete(id));
    this.#runs.set(id, { controller, done });
    return this.get(of, id);
  }

  /** Resolves when a fit of this process has ended, or after this time. Rejects with the signal's reason. */
  async wait(id: string, waitMs: number, signal: AbortSignal): Promise<void> {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    const over = Promise.withResolvers<void>();
    const onAbort = () => over.reject(signal.reason as Error);
    const timer = setTimeout(() => over.resolve(), waitMs);
    signal.addEventListener('abort', onAbort, { once: true });
    await Promise.race([run.done, over.promise]).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  }

  /** Newest first. Throws Fault `not_found`. */
  async list(of: OfDecider): Promise<readonly FitRow[]> {
    await this.#begun;
    await this.#options.deciders.get(of.accountId, of.decider);
    return this.#options.store.list(of);
  }

  /** Throws Fault `not_found`. */
  async get(of: OfDecider, id: string): Promise<FitRow> {
    // Before it, one that a process left behind would seem to run.
    await this.#begun;
    const row = await this.#options.store.find(of, id);
    if (row === null) throw new Fault('not_found', 'fit not found');
    return row;
  }

  /** Ends one that runs, in whatever process. Throws Fault `not_found`, and `conflict` for one that has ended. */
  async cancel(of: OfDecider, id: string): Promise<void> {
    await this.get(of, id);
    if (!(await this.#options.store.cancel(of, id, this.#options.clock.now())))
      throw new Fault('conflict', 'This fit has ended');
    this.#runs.get(id)?.controller.abort(new Fault('conflict', 'cancelled'));
  }

  /** Puts the fit before the one in use into use, or none. Throws Fault `not_found` and `conflict`. */
  async rollback(of: OfDecider): Promise<void> {
    await this.#options.deciders.get(of.accountId, of.decider);
    if (!(await this.#options.store.rollback(of)))
      throw new Fault('conflict', 'Nothing that was learned is in use');
  }

  /** Ends what runs; it has failed. */
  async close(): Promise<void> {
    await this.#timer.close();
    const runs = [...this.#runs.values()];
    for (const { controller } of runs) controller.abort(new Fault('server_stopping'));
    await Promise.all(runs.map(({ done }) => done));
    await this.#begun;
  }

  async #work(
    of: OfDecider,
    id: string,
    pupil: StoredPupil,
    asked: AskedFit,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, clock, onError } = this.#options;
    try {
      const end = await this.#slots
        .run(of.accountId, signal, () => this.#fit(of, pupil, asked, signal))
        .catch((error: unknown) => this.#toFailure(error, signal));
      await store.end(of, id, { ...end, endedAtMs: clock.now() }, pupil.fitId);
    } catch (error) {
      // The lease is not renewed for long: the fit ends as one of a process that has gone.
      onError(error);
    }
  }

  async #fit(
    of: OfDecider,
    pupil: StoredPupil,
    { room, target }: AskedFit,
    cancelled: AbortSignal,
  ): Promise<Omit<FitEnd, 'endedAtMs'>> {
    const signal = AbortSignal.any([cancelled, AbortSignal.timeout(timeoutMs)]);
    await this.#options.readAhead.stop(of.accountId);
    const kept: ExampleRow[] = [];
    for (let page: readonly ExampleRow[]; ; kept.push(...page)) {
      page = await this.#page(of, kept.at(-1)?.ordinal ?? null, pageLength);
      signal.throwIfAborted();
      if (page.length === 0) break;
    }
    const { threads, vectorsOf } = this.#options;
    const tools = { fit: threads.fit, vectors: vectorsOf<KeptCase>(of, pupil.features.version) };
    const caller = { account: shareOf(of.accountId), signal };
    const { heads, isTaken, report } = await fitDecider(pupil, kept, tools, caller, target);
    const end = { heads: null, report: JSON.stringify(report), error: null, learnedTo: null };
    if (!isTaken) return { ...end, state: 'not_better' };
    const text = toHeadsText({ features: pupil.features.version, heads });
    if (text.length > room)
      return { ...end, state: 'failed', error: 'There is no room to store what was learned' };
    return { ...end, state: 'taken', heads: text, learnedTo: kept.at(-1)?.ordinal ?? null };
  }

  #page(of: OfDecider, afterOrdinal: number | null, limit: number): Promise<ExampleRow[]> {
    return this.#options.examples.list(of.accountId, of.decider, { afterOrdinal, limit });
  }

  #toFailure(error: unknown, signal: AbortSignal): Omit<FitEnd, 'endedAtMs'> {
    const isKnown = [Fault, ExampleError, SlotsFull, JobError, DOMException].some(
      (one) => error instanceof one,
    );
    if (!isKnown) this.#options.onError(error);
    return { state: 'failed', heads: null, report: null, error: reasonOf(error, signal), learnedTo: null };
  }

  async #maintain(): Promise<void> {
    await this.#endLost();
    const running = [...this.#runs];
    const { store, owner } = this.#options;
    const ids = running.map(([id]) => id);
    const mine = new Set(await store.renew(ids, { owner, leaseMs: this.#leaseMs }));
    for (const [id, { controller }] of running)
      if (!mine.has(id)) controller.abort(new Fault('conflict', 'cancelled'));
  }

  async #endLost(): Promise<void> {
    const { store, clock, owner, isAlone } = this.#options;
    const isFirst = isAlone && !this.#hasEndedLost;
    await store.endAbandoned(clock.now(), isFirst ? owner : null);
    this.#hasEndedLost = true;
  }
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'The server stopped before the fit ended';
  if (error instanceof SlotsFull) return 'Too many fits wait already';
  if (error instanceof Fault || error instanceof ExampleError) return error.message;
  const isTooLong =
    error instanceof DOMException || (error instanceof JobError && error.reason === 'timeout');
  return isTooLong ? 'The fit took too long' : 'The fit could not be made';
}
