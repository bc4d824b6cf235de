import { Fault } from '../../../kernel/faults.ts';
import type { LedgerFigures } from '../../../kernel/http/metrics.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';
import type { UsageRow } from '../store/usage-row.ts';
import type { Journal } from './journal.ts';
import type { PendingRows } from './leftovers.ts';
import type { RowsRead } from './old-journal.ts';
import { Storing, type StoringOptions } from './storing.ts';
import { toJournalText, toSoundRow } from './usage-row.ts';

/** The room of one row, taken before the work that the row is for. */
interface RowSlot {
  /**
   * Returns when the row can no longer be lost by the process's death. Costs one small write. Gives the room back.
   * Throws Fault `service_unavailable` where neither the disk nor memory takes it.
   */
  readonly keep: (row: UsageRow) => void;
  /** The same, in one write with the rows of all requests that end in this turn of the event loop. */
  readonly keepInTurn: (row: UsageRow) => Promise<void>;
  /** May be called again. */
  readonly release: () => void;
}

/** A row that is written at the end of its turn. */
interface EndingRow {
  readonly row: UsageRow;
  readonly release: () => void;
  failure?: Fault;
}

interface Turn {
  readonly endings: EndingRow[];
  /** Resolves when all are written, or refused. */
  readonly written: Promise<void>;
}

export interface LedgerState extends LedgerFigures {
  /** False while billed requests are refused. */
  readonly accepts: boolean;
}

/** What an operator has to hear. */
export interface MeterReports {
  readonly onError: (error: unknown) => void;
  /** Rows cannot be written any more, or again. */
  readonly onAccepting: (accepts: boolean) => void;
  readonly onSetAside: (what: string) => void;
}

export interface MeterOptions extends MeterReports, StoringOptions {
  readonly journal: Journal;
  readonly flushEveryMs?: number;
}

const rowsPerBatch = 512;
const pauseMaxMs = 5_000;
const adoptEveryMs = 30_000;
/** Rows that the disk refused although it had promised their room. */
const heldRowsMax = 1_000;

/**
 * Writes the ledger off the path of requests: a row goes to the journal at once, and from there to the store in
 * batches. While the store is down the journal grows on disk, up to a bound, and memory does not; when it is back every
 * row is kept exactly once, because rows carry the id of their request. Where no row could be written any more, no
 * billed work begins.
 */
export function openMeter(options: MeterOptions): Meter {
  const meter = new Meter(options);
  meter.begin();
  return meter;
}

export class Meter {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #reports: MeterReports;
  readonly #storing: Storing;
  readonly #flushEveryMs: number;
  /** In memory only, until the store takes them. */
  readonly #held: UsageRow[] = [];
  #turn: Turn | null = null;
  #lost = 0;
  #refused = 0;
  #accepts = true;
  #waitingSinceMs: number | null = null;
  #adoptAtMs = 0;
  #pauseMs: number;
  #flushing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MeterOptions) {
    this.#journal = options.journal;
    this.#clock = options.clock;
    this.#reports = options;
    this.#storing = new Storing(options);
    this.#flushEveryMs = options.flushEveryMs ?? 250;
    this.#pauseMs = this.#flushEveryMs;
  }

  begin(): void {
    const tick = (): void => {
      void this.flush().finally(() => {
        if (this.#timer !== undefined) this.#timer = setTimeout(tick, this.#pauseMs).unref();
      });
    };
    this.#timer = setTimeout(tick, this.#flushEveryMs).unref();
  }

  /** Throws Fault `service_unavailable` when rows can be written nowhere. */
  reserve(): RowSlot {
    if (this.#held.length > 0 || !this.#journal.reserve()) {
      this.#refused++;
      this.#noteAccepting(false);
      throw nowhere();
    }
    let isReleased = false;
    const release = (): void => {
      if (!isReleased) this.#journal.release();
      isReleased = true;
    };
    const keep = (row: UsageRow): void => {
      release();
      this.#keep(toSoundRow(row));
    };
    return { keep, keepInTurn: (row) => this.#keepInTurn({ row: toSoundRow(row), release }), release };
  }

  state(): LedgerState {
    const { rows, bytes } = this.#journal.state();
    const sinceMs = this.#waitingSinceMs;
    return {
      accepts: this.#hasRoom(),
      backlogRows: rows + this.#held.length,
      backlogBytes: bytes,
      backlogAgeMs: sinceMs === null ? 0 : this.#clock.monotonic() - sinceMs,
      setAside: this.#storing.setAside,
      lost: this.#lost,
      refused: this.#refused,
    };
  }

  /** Hands on what there is; resolves when it is kept or the store refused it. */
  flush(): Promise<void> {
    this.#flushing ??= this.#handOn().finally(() => (this.#flushing = null));
    return this.#flushing;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#turn?.written;
    await this.#flushing;
    await this.flush();
    this.#journal.close();
    const { length } = this.#held;
    if (length === 0) return;
    this.#lost += length;
    this.#reports.onError(
      new Error(`${length} rows of the ledger are lost: neither the disk nor the store took them`),
    );
  }

  #keep(row: UsageRow): void {
    this.#waitingSinceMs ??= this.#clock.monotonic();
    try {
      this.#journal.append(toJournalText(row));
    } catch (error) {
      this.#reports.onError(error);
      this.#hold(row, error);
    }
  }

  async #keepInTurn(ending: EndingRow): Promise<void> {
    this.#turn ??= this.#beginTurn();
    const { endings, written } = this.#turn;
    endings.push(ending);
    await written;
    if (ending.failure !== undefined) throw ending.failure;
  }

  #beginTurn(): Turn {
    const { promise, resolve } = Promise.withResolvers<void>();
    // Behind this turn's I/O, with which requests end.
    setImmediate(() => {
      this.#writeTurn();
      resolve();
    });
    return { endings: [], written: promise };
  }

  /** Room is given back with the write that takes it, so that nobody else is promised it. */
  #writeTurn(): void {
    const { endings } = this.#turn ?? { endings: [] };
    this.#turn = null;
    const isWritten =
      endings.length > 1 && this.#journal.appendGroup(endings.map(({ row }) => toJournalText(row)));
    if (isWritten) this.#waitingSinceMs ??= this.#clock.monotonic();
    for (const ending of endings) {
      ending.release();
      if (!isWritten) this.#keepOne(ending);
    }
  }

  #keepOne(ending: EndingRow): void {
    try {
      this.#keep(ending.row);
    } catch (error) {
      ending.failure = error as Fault;
    }
  }

  #hold(row: UsageRow, cause: unknown): void {
    this.#noteAccepting(false);
    if (this.#held.length >= heldRowsMax) {
      this.#lost++;
      throw nowhere(cause);
    }
    this.#held.push(row);
  }

  async #handOn(): Promise<void> {
    const begunMs = this.#clock.monotonic();
    try {
      if (begunMs >= this.#adoptAtMs) {
        this.#journal.adopt();
        this.#adoptAtMs = begunMs + adoptEveryMs;
      }
      await this.#handOnHeld();
      const failures: unknown[] = [];
      for (const rows of this.#journal.pending()) await this.#handOnRows(rows, failures);
      if (failures.length > 0) throw failures[0];
      this.#waitingSinceMs = this.#journal.state().rows > 0 ? begunMs : null;
      this.#pauseMs = this.#flushEveryMs;
    } catch (error) {
      this.#pauseMs = Math.min(this.#pauseMs * 2, pauseMaxMs);
      this.#reports.onError(error);
    }
    this.#noteAccepting(this.#hasRoom());
  }

  /** A file that cannot be read keeps no other from being handed on. Rejects when the store takes nothing. */
  async #handOnRows(rows: PendingRows, failures: unknown[]): Promise<void> {
    for (;;) {
      let read: RowsRead;
      try {
        read = rows.read();
      } catch (error) {
        failures.push(error);
        return;
      }
      if (read.bytes === 0) return;
      await this.#storing.keepRead(read);
      rows.advance(read);
    }
  }

  /** Taken out when they are kept: what is added meanwhile stands behind them. */
  async #handOnHeld(): Promise<void> {
    while (this.#held.length > 0) {
      const rows = this.#held.slice(0, rowsPerBatch);
      await this.#storing.keepRows(rows);
      this.#held.splice(0, rows.length);
    }
  }

  #hasRoom(): boolean {
    return this.#held.length === 0 && this.#journal.state().hasRoom;
  }

  #noteAccepting(accepts: boolean): void {
    if (accepts === this.#accepts) return;
    this.#accepts = accepts;
    this.#reports.onAccepting(accepts);
  }
}

function nowhere(cause?: unknown): Fault {
  return new Fault(
    'service_unavailable',
    'This server has no room left to record usage, so it takes no billed requests now. Please try again later.',
    { retryAfterMs: 5_000, ...(cause === undefined ? {} : { cause }) },
  );
}
