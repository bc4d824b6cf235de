import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { type RowCounts, ledgerFolderOf, readPendingRows, createUsage } from '../accounts/feature.ts';
import type { Config } from '../../kernel/config.ts';
import { Fault } from '../../kernel/faults.ts';
import { systemClock } from '../../kernel/kit/clock.ts';
import { openDatabase } from '../../kernel/store/database.ts';
import { refuseNewer, schemaVersion } from '../../kernel/store/migrate.ts';
import { migrations } from '../../kernel/store/migrations/index.ts';
import { toPostgresCommands } from '../../kernel/store/postgres/backup-commands.ts';
import { copySnapshot, sealFile, syncFolderOf } from '../../kernel/store/sqlite/backup-file.ts';
import { checkFile } from '../../kernel/store/sqlite/check-file.ts';
import { replaceFile } from '../../kernel/store/sqlite/replace-file.ts';
import { lockStore } from '../../kernel/store/sqlite/store-lock.ts';
import { toSqlitePath } from '../../kernel/store/store-address.ts';
import { countRows, tableNames } from '../../kernel/store/transfer.ts';

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

interface BackupOptions {
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

/** Copies of the store of a configuration, beside servers that may be running on it. */
export function openBackups({ database: url, dataFolder }: Config): SqliteBackups | PostgresBackups {
  const path = toSqlitePath(url, dataFolder);
  const checkStore = async () => {
    if (path !== null) return check(path);
    const database = await openDatabase(url, { dataFolder, migrates: false, isBulk: true });
    try {
      return { schema: schemaVersion(migrations), rows: await countRows(database.db) };
    } finally {
      await database.close();
    }
  };
  if (path === null) {
    return { store: 'postgres', commands: (file) => toPostgresCommands(url, file), checkStore };
  }
  return {
    store: 'sqlite',
    backUp: (to, options) => backUp(path, dataFolder, to, options),
    check,
    restore: (from) => restore(from, path),
    checkStore,
  };
}

async function check(path: string): Promise<BackupReport> {
  if (!existsSync(path)) throw new Fault('not_found', `${path} is not there.`);
  const { steps, ...report } = await checkFile(path, tableNames());
  refuseNewer(steps, migrations);
  return { schema: steps.at(-1) ?? '', ...report };
}

/** Under another name until it is whole, so that no half of a copy is ever taken for one. */
async function backUp(
  path: string,
  dataFolder: string,
  to: string,
  options: BackupOptions,
): Promise<BackupReport> {
  if (!existsSync(path)) throw new Fault('not_found', `there is no store at ${path} yet.`);
  const partial = `${to}.partial`;
  // A backup that was killed may have left its own.
  removeDatabase(partial);
  // Before SQLite, which would make it readable by everybody and not say why it cannot.
  closeSync(openSync(partial, 'wx', 0o600));
  try {
    // Before the copy: what is handed to the store between the two is in both, and counts once.
    const pending = readPendingRows(ledgerFolderOf(dataFolder));
    await copySnapshot(path, partial, options);
    if (pending.length > 0) await addRows(partial, dataFolder, pending);
    sealFile(partial);
    const report = await check(partial);
    renameSync(partial, to);
    syncFolderOf(to);
    return report;
  } finally {
    removeDatabase(partial);
  }
}

function removeDatabase(path: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${end}`, { force: true });
}

/** Usage that was acknowledged and that the server has not handed to the store yet. */
async function addRows(
  path: string,
  dataFolder: string,
  rows: ReturnType<typeof readPendingRows>,
): Promise<void> {
  const copy = await openDatabase(`sqlite:${path}`, { dataFolder, migrates: false });
  try {
    await createUsage(copy.db).insertBatch(rows);
  } finally {
    await copy.close();
  }
}

async function restore(from: string, path: string): Promise<BackupReport & { readonly kept: string | null }> {
  const report = await check(from);
  const lock = lockStore(path);
  try {
    const stamp = new Date(systemClock.now()).toISOString().replaceAll(/[:.]/g, '-');
    const kept = existsSync(path) ? `${path}.before-restore-${stamp}` : null;
    replaceFile(from, path, kept);
    return { ...report, kept };
  } finally {
    lock.release();
  }
}
