import { Fault } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { Log } from '../../kernel/kit/log.ts';
import type { Outcome, Progress, Source } from './source.ts';

interface RefreshesOptions {
  /** Resolves to null when another process is refreshing the source. */
  readonly refresh: (
    source: Source,
    signal: AbortSignal,
    onProgress: (progress: Progress) => void,
  ) => Promise<Outcome | null>;
  /** Called when a refresh failed, not when it was stopped. */
  readonly onFailed: (source: Source) => Promise<void>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

export type RefreshState =
  | { readonly state: 'queued' }
  | { readonly state: 'running'; readonly progress: Progress }
  /** `error` holds nothing of the documents. */
  | { readonly state: 'failed'; readonly error: string; readonly atMs: number };

type Failure = Extract<RefreshState, { readonly state: 'failed' }>;

/** A site takes half a second per page, and must not keep a folder waiting. */
const atOnceMax = 3;
const waitingMax = 1_000;

interface Run {
  readonly source: Source;
  readonly stopping: AbortController;
  progress: Progress;
  /** The same source with other options, to be read when this run ends. */
  next: Source | null;
  ended: Promise<void>;
}

/** Refreshes that this process was asked for, in the background. */
export class Refreshes {
  readonly #options: RefreshesOptions;
  readonly #waiting = new Map<string, Source>();
  readonly #runs = new Map<string, Run>();
  readonly #failures = new Map<string, Failure>();
  #isClosed = false;

  constructor(options: RefreshesOptions) {
    this.#options = options;
  }

  /** One that is under way goes on; with other options, or more texts, it is followed by another. Throws Fault where too many wait. */
  begin(source: Source): void {
    const run = this.#runs.get(source.id);
    if (run !== undefined) {
      const isSame = JSON.stringify(run.source.options) === JSON.stringify(source.options);
      // A text that was sent while others are read may be one that was passed.
      run.next = isSame && source.kind !== 'texts' ? null : source;
      return;
    }
    if (this.#isClosed || this.#waiting.size >= waitingMax)
      throw new Fault('service_unavailable', 'Too many sources wait to be read, please try again later.');
    this.#waiting.set(source.id, source);
    this.#fill();
  }

  /** By source: refreshes under way, and those that failed last. */
  states(): ReadonlyMap<string, RefreshState> {
    const states = new Map<string, RefreshState>(this.#failures);
    for (const [id, { progress }] of this.#runs) states.set(id, { state: 'running', progress });
    for (const id of this.#waiting.keys()) states.set(id, { state: 'queued' });
    return states;
  }

  /** Resolves when this process no longer reads the source. */
  async stop(id: string): Promise<void> {
    this.#waiting.delete(id);
    const run = this.#runs.get(id);
    if (run !== undefined) {
      run.next = null;
      run.stopping.abort();
      await run.ended;
    }
    this.#failures.delete(id);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#waiting.keys(), ...this.#runs.keys()].map((id) => this.stop(id)));
  }

  #fill(): void {
    for (const [id, source] of this.#waiting) {
      if (this.#isClosed || this.#runs.size >= atOnceMax) return;
      if (this.#runs.has(id) || this.#isBusy(source.accountId)) continue;
      this.#waiting.delete(id);
      this.#failures.delete(id);
      const progress = { done: 0, total: 0, failed: 0 };
      const stopping = new AbortController();
      const run: Run = { source, stopping, progress, next: null, ended: Promise.resolve() };
      this.#runs.set(id, run);
      run.ended = this.#read(run);
    }
  }

  /** An account has one turn at a time, and keeps no others waiting for all of its sources. */
  #isBusy(accountId: string): boolean {
    if (accountId === '') return false;
    return [...this.#runs.values()].some(({ source }) => source.accountId === accountId);
  }

  async #read(run: Run): Promise<void> {
    const { id } = run.source;
    const failure = await refreshOne(this.#options, run);
    this.#runs.delete(id);
    if (failure !== null) this.#failures.set(id, failure);
    if (run.next !== null) this.#waiting.set(id, run.next);
    this.#fill();
  }
}

/** Never rejects. Resolves to null when it did not fail. */
async function refreshOne(
  { refresh, onFailed, clock, log }: RefreshesOptions,
  run: Run,
): Promise<Failure | null> {
  const { source, stopping } = run;
  try {
    const outcome = await refresh(source, stopping.signal, (progress) => {
      run.progress = progress;
    });
    if (outcome === null) return null;
    const { added, changed, removed, failed } = outcome;
    log.info({ source: source.id, added, changed, removed, failed }, 'a source of the index was refreshed');
    return null;
  } catch (error) {
    if (stopping.signal.aborted) return null;
    log.warn({ err: error, source: source.id }, 'a source of the index was not refreshed');
    await onFailed(source).catch((cause: unknown) => {
      log.warn({ err: cause, source: source.id }, 'a source of the index has no next turn');
    });
    const message = error instanceof Fault ? error.message : 'It could not be read.';
    return { state: 'failed', error: message, atMs: clock.now() };
  }
}
