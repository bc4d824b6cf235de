import { chmodSync, closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

/** 16 MiB at a time: few steps, and an interruption is noticed between two. */
const pagesPerStep = 4_096;

interface CopyOptions {
  /** 0 to 1. */
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Copies the file as it is at this instant to a new one, while others go on writing. An open read holds one state of the
 * log, so that what is written meanwhile neither gets into the copy nor begins it anew, as it would without.
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

/** Leaves one file, without a log beside it, on the disk and readable by its owner only. */
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

/** What was renamed in its folder stays so. */
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
