import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolder, type FolderLock } from '../../../kernel/kit/folder-lock.ts';
import { trimRoom } from './frames.ts';
import { adoptsOldFolder, readRowFile, rowFilesIn, type RowsRead } from './old-journal.ts';
import { setAsideFolder } from './set-aside.ts';

/** A file of a journal with rows that the store does not have. */
export interface PendingRows {
  /** The first of them. May throw; nothing is lost then. */
  read(): RowsRead;
  /** They are in the store, or set aside. */
  advance(read: RowsRead): void;
}

interface LeftoversOptions {
  readonly folder: string;
  /** Name of the folder of this process. */
  readonly own: string;
  readonly now: () => number;
  readonly onStray: (name: string) => void;
}

interface LeftFolder {
  readonly path: string;
  /** Null for a folder of a version that had none. */
  readonly lock: FolderLock | null;
  /** By name, with the bytes in use. */
  readonly files: Map<string, number>;
}

/** What processes that have gone left beside the folder of this one. */
export function openLeftovers({ folder, own, now, onStray }: LeftoversOptions) {
  const left = new Map<string, LeftFolder>();
  const strays = new Set<string>();

  /** Takes over the files of processes that have gone. Those of processes that live are locked. */
  function adopt(): void {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const { name } = entry;
      if (name === own || name === setAsideFolder || left.has(name)) continue;
      if ((entry.isDirectory() && take(name)) || strays.has(name)) continue;
      strays.add(name);
      onStray(name);
    }
  }

  /** False for a folder that cannot be read or locked: it must not keep the others from being looked at. */
  function take(name: string): boolean {
    try {
      const taken = takeFolder(join(folder, name), now());
      if (taken !== null) left.set(name, taken);
      return true;
    } catch {
      // Unless somebody else removed it.
      return !existsSync(join(folder, name));
    }
  }

  return {
    adopt,
    pending: (): readonly PendingRows[] =>
      [...left].flatMap(([name, folder]) =>
        [...folder.files.keys()].map((file) => rowsOf(folder, file, () => left.delete(name))),
      ),
    bytes: () =>
      left.values().reduce((sum, { files }) => files.values().reduce((total, size) => total + size, sum), 0),
    /** Lets another process have what is left. */
    close(): void {
      for (const { lock } of left.values()) lock?.release();
      left.clear();
    },
  };
}

/** Null for the folder of a process that lives, and for one without rows, which is removed. */
function takeFolder(path: string, nowMs: number): LeftFolder | null {
  const lockPath = join(path, 'lock');
  const isOld = !existsSync(lockPath);
  const lock = isOld ? null : lockFolder(lockPath);
  if (isOld ? !adoptsOldFolder(path, nowMs) : lock === null) return null;
  const files = new Map<string, number>();
  for (const file of rowFilesIn(path)) {
    const bytes = trimRoom(readFileSync(join(path, file))).length;
    if (bytes === 0) rmSync(join(path, file), { force: true });
    else files.set(file, bytes);
  }
  if (files.size > 0) return { path, lock, files };
  removeFolder(path, lock);
  return null;
}

function rowsOf({ path, lock, files }: LeftFolder, file: string, onEmpty: () => void): PendingRows {
  return {
    read: () => (files.has(file) ? readRowFile(join(path, file)) : { texts: [], bad: [], bytes: 0 }),
    advance() {
      rmSync(join(path, file), { force: true });
      files.delete(file);
      if (files.size > 0) return;
      onEmpty();
      removeFolder(path, lock);
    },
  };
}

/** The lock goes last: a process that waits for it finds nothing. */
export function removeFolder(path: string, lock: FolderLock | null): void {
  try {
    rmSync(join(path, 'lock'), { force: true });
    rmdirSync(path);
  } catch {
    // Somebody put something in: the next process on the folder looks at it.
  }
  lock?.release();
}
