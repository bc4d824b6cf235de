import type { Database } from '../../../kernel/store/database.ts';
import type { Readable, Writable } from 'node:stream';
import type { Administration } from '../administration.ts';
import type { LedgerRepair } from '../ledger/repair.ts';
import type { Config } from '../../../kernel/config.ts';
import type { Terminal } from '../../../kernel/commands/progress.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';

/** Rows by table. */
export type RowCounts = Readonly<Record<string, number>>;

/** The store of a configuration, beside servers that may be running on it. */
export interface StoreTools {
  readonly administration: Administration;
  readonly database: Database;
  /** The last step of the schema, which opening has brought the store to. */
  readonly schema: string;
  /** Puts right what can be put right of the ledger. */
  repairLedger(this: void): Promise<LedgerRepair>;
  /** Writes everything as lines of JSON, as of one instant. Does not end the stream. */
  exportTo(output: Writable): Promise<RowCounts>;
  /** Reads an export into an empty store: everything or nothing. */
  importFrom(input: Readable): Promise<RowCounts>;
  close(): Promise<void>;
}

/** What commands on the store are handed. */
export interface StoreParts {
  /** What relative paths are relative to. */
  readonly cwd: string;
  load(file: string | undefined): Config;
  /** `isBulk`: everything is read or written in one transaction, however long it takes. */
  openStore(config: Config, options?: { readonly isBulk?: boolean }): Promise<StoreTools>;
  readonly out: Terminal;
  readonly err: Terminal;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly clock: Clock;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}
