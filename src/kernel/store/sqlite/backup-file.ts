import { chmodSync, closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

/** 16 MiB: few steps, and an abort is noticed between two. */
const pagesPerStep = 4_096;

interface CopyOptions {
  /** 0 to 1. */
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Copies the file as of this instant while others write. The open read transaction keeps the backup from restarting
 * at every write.
 */
export async function copySnapshot(
  from: string,
  to: string,
  { onProgress, signal }: CopyOptions,
): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true, timeout: 5_000 });
  try {
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await backup(source, to, {
      rate: pagesPerStep,
      progress({ totalPages, remainingPages }) {
        signal.throwIfAborted();
        onProgress(totalPages === 0 ? 1 : 1 - remainingPages / totalPages);
      },
    });
  } finally {
    source.close();
  }
}

/** Makes a single file without a log, synced and readable by its owner only. */
export function sealFile(path: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = DELETE');
  } finally {
    database.close();
  }
  chmodSync(path, 0o600);
  syncToDisk(path);
}

/** Makes a rename in its folder durable. */
export function syncFolderOf(path: string): void {
  syncToDisk(dirname(path));
}

function syncToDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
