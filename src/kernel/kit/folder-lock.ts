import { DatabaseSync } from 'node:sqlite';

export interface FolderLock {
  /** The system does the same when the process dies, however it dies. */
  release(): void;
}

const resultBusy = 5;

/**
 * Takes the lock that the file stands for; null while another process, or another part of this one, has it. It is
 * SQLite's own lock on a database that stays empty: a record lock of the kernel, which holds between containers on one
 * volume, where process ids mean nothing. Throws where the file system has no locks or no such folder.
 */
export function lockFolder(file: string): FolderLock | null {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // Otherwise an empty journal would lie beside it.
    database.exec('PRAGMA journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === resultBusy) return null;
    throw error;
  }
}
