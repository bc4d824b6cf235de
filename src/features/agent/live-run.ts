import type { Fault } from '../../kernel/faults.ts';
import type { RunFile, RunStatus } from './run-store.ts';

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

/** Turns what a run does into lines. Knows the wire, and nothing of stores and readers. */
export interface ResponseEncoder<Batch> {
  begin(): readonly RunEvent[];
  /** The last line of a run is its end; nothing is told after it. */
  tell(batch: Batch): readonly RunEvent[];
  fail(failure: RunFailure): readonly RunEvent[];
  /** Puts a failure in the place of an end that nobody has read yet, under the same number. */
  replaceEnd(failure: RunFailure): RunEvent;
  status(): RunStatus;
  /** The whole response as it is now. */
  response(): object;
  /** What may be referred to later. */
  items(): readonly { readonly id: string; readonly item: string }[];
  files(): readonly RunFile[];
}

/**
 * A run in this process: its lines so far, and whoever reads them. Its end is held until it is released: `run-end.ts`
 * says when.
 */
export class LiveRun<Batch> {
  readonly id: string;
  readonly accountId: string;
  readonly isBackground: boolean;
  /** Whether others may read what it tells. */
  readonly isStored: boolean;
  readonly #teller: ResponseEncoder<Batch>;
  readonly #lines: RunEvent[] = [];
  /** An end that nobody has read yet. */
  #held: RunEvent | null = null;
  #isOver = false;
  #chars = 0;
  /** Lines that were handed out to be stored. */
  #taken = 0;
  readonly #readers = new Set<() => void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #controller = new AbortController();

  constructor(
    about: Pick<LiveRun<Batch>, 'id' | 'accountId' | 'isBackground' | 'isStored'>,
    filter: ResponseEncoder<Batch>,
  ) {
    this.id = about.id;
    this.accountId = about.accountId;
    this.isBackground = about.isBackground;
    this.isStored = about.isStored;
    this.#teller = filter;
    this.#add(filter.begin());
  }

  /** Aborts when the run may go on no longer. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it can still change. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether readers have its end. */
  get isReleased(): boolean {
    return this.#isOver && this.#held === null;
  }

  /** The last line of a run that is over. */
  get end(): RunEvent | null {
    return this.#isOver ? (this.#held ?? this.#lines.at(-1) ?? null) : null;
  }

  /** Resolves when the end has been told. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Characters of all lines, and bytes of files. */
  get size(): number {
    return this.#teller.files().reduce((sum, { bytes }) => sum + bytes.byteLength, this.#chars);
  }

  get filter(): ResponseEncoder<Batch> {
    return this.#teller;
  }

  tell(batch: Batch): void {
    if (this.#isOver) return;
    this.#take(this.#teller.tell(batch));
  }

  /** Ends the run, if it goes on; its work is aborted. The end is held until `release`. */
  fail(failure: RunFailure): void {
    if (this.#isOver) return;
    this.#take(this.#teller.fail(failure));
    this.#controller.abort(new Error('the run has ended'));
  }

  /** Another end than the one that is held, which nobody will read. */
  replaceEnd(failure: RunFailure): void {
    if (this.#held !== null) this.#held = this.#teller.replaceEnd(failure);
  }

  /** Tells the end. */
  release(): void {
    if (this.#held === null) return;
    const held = this.#held;
    this.#held = null;
    this.#add([held]);
    this.#ended.resolve();
  }

  /** Lines that nobody took yet, without an end that is held. */
  takeUnstored(): readonly RunEvent[] {
    const taken = this.#lines.slice(this.#taken);
    this.#taken = this.#lines.length;
    return taken;
  }

  /** Lines after this one, told or held. */
  linesAfter(sequence: number): readonly RunEvent[] {
    const all = this.#held === null ? this.#lines : [...this.#lines, this.#held];
    return all.slice(sequence + 1);
  }

  /** Lines after this one as they come, until the end. A reader that leaves changes nothing about the run. */
  read(after: number, signal: AbortSignal): LineReader {
    return new LineReader({
      lines: this.#lines,
      isDone: () => this.isReleased,
      watch: (wake) => {
        this.#readers.add(wake);
        return () => this.#readers.delete(wake);
      },
      after,
      signal,
    });
  }

  #take(lines: readonly RunEvent[]): void {
    if (this.#teller.status() === 'in_progress') return this.#add(lines);
    this.#isOver = true;
    this.#held = lines.at(-1) ?? null;
    this.#add(lines.slice(0, -1));
  }

  #add(lines: readonly RunEvent[]): void {
    if (lines.length === 0) return;
    for (const line of lines) {
      this.#lines.push(line);
      this.#chars += line.data.length;
    }
    for (const wake of this.#readers) wake();
  }
}

interface LineSource {
  readonly lines: readonly RunEvent[];
  readonly isDone: () => boolean;
  readonly watch: (wake: () => void) => () => void;
  readonly after: number;
  readonly signal: AbortSignal;
}

/**
 * Reads a growing list. What it gave out counts as read only when the signal had not aborted by then, so that whoever
 * ends a stream knows where it stopped.
 */
export class LineReader implements AsyncIterable<readonly RunEvent[]>, AsyncIterator<readonly RunEvent[]> {
  readonly #source: LineSource;
  #next: number;

  constructor(source: LineSource) {
    this.#source = source;
    this.#next = source.after + 1;
  }

  /** Of the last line that was given out. */
  get position(): number {
    return this.#next - 1;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Never settles once the signal has aborted: whoever reads races it against the signal. */
  next(): Promise<IteratorResult<readonly RunEvent[]>> {
    const ready = this.#take();
    if (ready !== null) return Promise.resolve(ready);
    return new Promise((resolve) => {
      const { watch, signal } = this.#source;
      const onAbort = () => unwatch();
      const unwatch = watch(() => {
        const step = this.#take();
        if (step === null) return;
        unwatch();
        signal.removeEventListener('abort', onAbort);
        resolve(step);
      });
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  return(): Promise<IteratorResult<readonly RunEvent[]>> {
    return Promise.resolve({ done: true, value: undefined });
  }

  #take(): IteratorResult<readonly RunEvent[]> | null {
    const { lines, isDone, signal } = this.#source;
    if (signal.aborted) return null;
    if (this.#next < lines.length) {
      const value = lines.slice(this.#next);
      this.#next = lines.length;
      return { done: false, value };
    }
    return isDone() ? { done: true, value: undefined } : null;
  }
}
