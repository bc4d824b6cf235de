import type { Clock } from '../../../kernel/kit/clock.ts';
import { isContentRefusal } from '../../../kernel/store/errors.ts';
import type { UsageRow } from '../store/usage-row.ts';
import type { RowsRead } from './old-journal.ts';
import type { SetAside } from './set-aside.ts';
import { parseRow } from './usage-row.ts';

export interface StoringOptions {
  readonly setAside: SetAside;
  /** Keeps rows, each once; rejects when the store cannot be reached. */
  readonly store: (rows: readonly UsageRow[]) => Promise<void>;
  readonly clock: Clock;
  /** Rows from before may have been counted and removed already. Unit: ms. */
  readonly keepMs: number;
  readonly onSetAside: (what: string) => void;
}

const rowsPerBatch = 512;

/** Hands rows to the store. What the store will never take is set aside, so that it holds up nothing else. */
export class Storing {
  readonly #options: StoringOptions;
  #setAside = 0;

  constructor(options: StoringOptions) {
    this.#options = options;
  }

  /** Records and rows that were set aside. */
  get setAside(): number {
    return this.#setAside;
  }

  /** Resolves when everything that was read is kept or set aside. */
  async keepRead({ texts, bad }: RowsRead): Promise<void> {
    const damaged = [...bad];
    const rows: UsageRow[] = [];
    for (const text of texts) {
      const row = parseRow(text);
      if (row === null) damaged.push(Buffer.from(`${text}\n`));
      else rows.push(row);
    }
    await this.keepRows(rows);
    for (const bytes of damaged) this.#options.setAside.damaged(bytes);
    if (damaged.length > 0) this.#note(damaged.length, 'damaged records of the journal');
  }

  async keepRows(rows: readonly UsageRow[]): Promise<void> {
    const { clock, keepMs } = this.#options;
    const horizonMs = clock.now() - keepMs;
    const kept = rows.filter(({ createdAtMs }) => createdAtMs >= horizonMs);
    for (const row of rows) {
      if (row.createdAtMs < horizonMs) this.#setAsideRow(row, 'it is older than rows are kept');
    }
    for (let from = 0; from < kept.length; from += rowsPerBatch)
      await this.#storeHalves(kept.slice(from, from + rowsPerBatch));
  }

  /** A row that is refused for what it says is found by halves; the others are kept. */
  async #storeHalves(rows: readonly UsageRow[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    try {
      await this.#options.store(rows);
    } catch (error) {
      if (!isContentRefusal(error)) throw error;
      if (rows.length === 1) {
        this.#setAsideRow(first, error.message);
        return;
      }
      const middle = Math.ceil(rows.length / 2);
      await this.#storeHalves(rows.slice(0, middle));
      await this.#storeHalves(rows.slice(middle));
    }
  }

  #setAsideRow(row: UsageRow, reason: string): void {
    this.#options.setAside.refused(row, reason);
    this.#note(1, `row (${reason})`);
  }

  #note(count: number, what: string): void {
    this.#setAside += count;
    this.#options.onSetAside(`${count} ${what}`);
  }
}
