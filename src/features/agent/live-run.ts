import type { Fault } from '../../kernel/faults.ts';
import type { RunFile, RunStatus, StoredRun } from './run-store.ts';

/** One event of a run as it goes over the wire. */
export interface RunEvent {
  /** From 0 without gaps. */
  readonly sequence: number;
  readonly event: string;
  /** JSON text. */
  readonly data: string;
}

/** Why a run ended without an answer of its own. */
export type RunFailure = 'cancelled' | 'server_restarted' | 'timeout' | 'not_stored' | Fault;

/** Encodes what a run does as events of the wire. Knows nothing of stores and readers. */
export interface ResponseEncoder<Batch> {
  begin(): readonly RunEvent[];
  /** The last event of a run is its end; none comes after it. */
  encode(batch: Batch): readonly RunEvent[];
  fail(failure: RunFailure): readonly RunEvent[];
  /** Replaces an end that was not sent yet by a failure with the same number. */
  replaceEnd(failure: RunFailure): RunEvent;
  readonly status: RunStatus;
  response(): object;
  /** Items to which later requests may refer. */
  readonly items: readonly { readonly id: string; readonly item: string }[];
  readonly files: readonly RunFile[];
}

export interface RunIdentity extends Pick<StoredRun, 'id' | 'accountId' | 'isStored'> {
  readonly isBackground: boolean;
}

/** A run in this process, with its events so far and their readers. Its end is held until `run-end.ts` releases it. */
export class LiveRun<Batch> implements RunIdentity {
  readonly id: string;
  readonly accountId: string;
  readonly isBackground: boolean;
  readonly isStored: boolean;
  readonly encoder: ResponseEncoder<Batch>;
  readonly #events: RunEvent[] = [];
  /** An end that was not sent yet. */
  #held: RunEvent | null = null;
  #isOver = false;
  #chars = 0;
  /** Numbers of events and files that were taken to be stored. */
  #taken = 0;
  #takenFiles = 0;
  readonly #readers = new Set<() => void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #controller = new AbortController();

  constructor({ id, accountId, isBackground, isStored }: RunIdentity, encoder: ResponseEncoder<Batch>) {
    this.id = id;
    this.accountId = accountId;
    this.isBackground = isBackground;
    this.isStored = isStored;
    this.encoder = encoder;
    this.#add(encoder.begin());
  }

  /** Aborts when the run has to stop. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** False while it can still change. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether readers have its end. */
  get isReleased(): boolean {
    return this.#isOver && this.#held === null;
  }

  /** Null while it runs. */
  get end(): RunEvent | null {
    return this.#isOver ? (this.#held ?? this.#events.at(-1) ?? null) : null;
  }

  /** Resolves when the end has been released. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Characters of all events, and bytes of files. */
  get size(): number {
    return this.encoder.files.reduce((sum, { bytes }) => sum + bytes.byteLength, this.#chars);
  }

  push(batch: Batch): void {
    if (this.#isOver) return;
    this.#take(this.encoder.encode(batch));
  }

  /** Ends the run, if it goes on; its work is aborted. The end is held until `release`. */
  fail(failure: RunFailure): void {
    if (this.#isOver) return;
    this.#take(this.encoder.fail(failure));
    this.#controller.abort(new Error('the run has ended'));
  }

  replaceEnd(failure: RunFailure): void {
    if (this.#held !== null) this.#held = this.encoder.replaceEnd(failure);
  }

  release(): void {
    if (this.#held === null) return;
    const held = this.#held;
    this.#held = null;
    this.#add([held]);
    this.#ended.resolve();
  }

  /** Events that were not taken yet, without an end that is held, and the files that they tell of. */
  takeUnstored() {
    const firstFile = this.#takenFiles;
    const taken = {
      events: this.#events.slice(this.#taken),
      files: this.encoder.files.slice(firstFile),
      firstFile,
    };
    this.#taken = this.#events.length;
    this.#takenFiles = this.encoder.files.length;
    return taken;
  }

  /** Events after this one, with an end that is held. */
  eventsAfter(sequence: number): readonly RunEvent[] {
    const all = this.#held === null ? this.#events : [...this.#events, this.#held];
    return all.slice(sequence + 1);
  }

  /**
   * Reads events after this one as they come, until the end. A reader that leaves changes nothing about the run. After an
   * abort nothing counts as read, so that the end of a stream knows where it stopped: `next` then never settles, and the
   * caller races it against the signal.
   */
  read(after: number, signal: AbortSignal) {
    let position = after;
    const take = (): IteratorResult<readonly RunEvent[]> | null => {
      if (signal.aborted) return null;
      const value = this.#events.slice(position + 1);
      position += value.length;
      if (value.length > 0) return { done: false, value };
      return this.isReleased ? { done: true, value: undefined } : null;
    };
    const next = (): Promise<IteratorResult<readonly RunEvent[]>> => {
      const ready = take();
      if (ready !== null) return Promise.resolve(ready);
      return new Promise((resolve) => {
        const leave = () => this.#readers.delete(wake);
        const wake = () => {
          const step = take();
          if (step === null) return;
          leave();
          signal.removeEventListener('abort', leave);
          resolve(step);
        };
        this.#readers.add(wake);
        signal.addEventListener('abort', leave, { once: true });
      });
    };
    return {
      get position() {
        return position;
      },
      [Symbol.asyncIterator]: () => ({ next }),
    };
  }

  #take(events: readonly RunEvent[]): void {
    if (this.encoder.status === 'in_progress') return this.#add(events);
    this.#isOver = true;
    this.#held = events.at(-1) ?? null;
    this.#add(events.slice(0, -1));
  }

  #add(events: readonly RunEvent[]): void {
    if (events.length === 0) return;
    for (const event of events) {
      this.#events.push(event);
      this.#chars += event.data.length;
    }
    for (const wake of this.#readers) wake();
  }
}
