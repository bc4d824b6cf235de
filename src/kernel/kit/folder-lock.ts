import { DatabaseSync } from 'node:sqlite';

export interface FolderLock {
  /** Releases the lock; the system does so when the process dies. */
  release(): void;
}

const resultBusy = 5;

/**
 * Takes the lock of a file; null while another holder has it. This is SQLite's lock on an empty database: a kernel
 * record lock, which also works between containers on one volume. Throws where the file system has no locks or the
 * folder is missing.
 */
export function lockFolder(file: string): FolderLock | null {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // Keeps an empty journal file from appearing beside it.
    database.exec('PRAGMA journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === resultBusy) return null;
    throw error;
  }
}
