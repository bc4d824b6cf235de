import type { Config } from '../../../kernel/config.ts';
import type { RowCounts, StoreParts } from '../../accounts/feature.ts';

/** What a check of a store found. */
export interface StoreReport {
  /** The last step of its schema. */
  readonly schema: string;
  readonly rows: RowCounts;
}

/** What a check of a copy found, having read all of it. */
export interface BackupReport extends StoreReport {
  readonly bytes: number;
  readonly sha256: string;
}

export interface BackupOptions {
  /** 0 to 1. */
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

export interface SqliteBackups {
  readonly store: 'sqlite';
  /** Copies the store as it is now to a file that is not there yet, beside a server that goes on, and checks the copy. */
  backUp(path: string, options: BackupOptions): Promise<BackupReport>;
  /** Reads all of a copy. Rejects with an Error of one line when it is damaged, or none. */
  check(path: string): Promise<BackupReport>;
  /** Puts a copy in place of the store. `kept`: where the store that was there is; null when there was none. */
  restore(path: string): Promise<BackupReport & { readonly kept: string | null }>;
  checkStore(): Promise<StoreReport>;
}

/** Its own programs make and read its backups. */
export interface PostgresBackups {
  readonly store: 'postgres';
  /** What to run; without the password. */
  commands(file: string): { readonly backup: string; readonly restore: string };
  checkStore(): Promise<StoreReport>;
}

export interface BackupParts extends Pick<StoreParts, 'cwd' | 'load' | 'out' | 'err' | 'clock' | 'signal'> {
  openBackups(config: Config): SqliteBackups | PostgresBackups;
}
