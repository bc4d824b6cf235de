import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { sealFile, syncFolderOf } from './backup-file.ts';

/**
 * Puts a copy of `from` in place of the store at `path`, and keeps the store that was there at `before`; whoever dies in
 * between leaves the one or the other. Nobody may have the store open. Throws an Error of one line when somebody has.
 */
export function replaceFile(from: string, path: string, before: string | null): void {
  const next = `${path}.restoring`;
  rmSync(next, { force: true });
  try {
    copyFileSync(from, next);
    sealFile(next);
    if (before !== null) {
      settleLog(path, before);
      keep(path, before);
    }
    renameSync(next, path);
    syncFolderOf(path);
  } finally {
    rmSync(next, { force: true });
  }
}

function keep(path: string, before: string): void {
  try {
    linkSync(path, before);
  } catch {
    // Not every file system has links.
    copyFileSync(path, before);
  }
}

/** Moves what stands in the log into the file. The log stays while another connection is open. */
function settleLog(path: string, before: string): void {
  try {
    const database = new DatabaseSync(path, { timeout: 100 });
    try {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      database.close();
    }
  } catch {
    // Damaged, which may be why another one is restored. A log of another file would be taken for its own.
    if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${before}-wal`);
    rmSync(`${path}-shm`, { force: true });
  }
  if (!existsSync(`${path}-wal`)) return;
  throw new Error(`database: ${path} is in use by another program; stop it and restore again`);
}
