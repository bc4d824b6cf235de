import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { sealFile, syncFolderOf } from './backup-file.ts';

/**
 * Replaces the store at `path` with a copy of `from` and keeps the old one at `before`; a crash leaves one or the
 * other. Throws a one-line Error when a program has the store open.
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

/** Moves the log into the file. The log remains while another connection is open. */
function settleLog(path: string, before: string): void {
  try {
    const database = new DatabaseSync(path, { timeout: 100 });
    try {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      database.close();
    }
  } catch {
    // A damaged file may be why it is restored. Its log must not be applied to the new file.
    if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${before}-wal`);
    rmSync(`${path}-shm`, { force: true });
  }
  if (!existsSync(`${path}-wal`)) return;
  throw new Error(`database: ${path} is in use by another program; stop it and restore again`);
}
