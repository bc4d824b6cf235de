import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * Lines on disk between the request that made them and the store that keeps them. A line is with the operating system
 * when `append` returns (3 us), so killing the process loses none; it is handed on from there, as often as it takes.
 *
 * A segment is `open` while lines are appended to it, `closed` from the next `rotate` on, and gone when `remove` says
 * that its lines are kept elsewhere. What a process that died has left is adopted by the next one on the folder.
 */
export interface Journal {
  append(line: string): void;
  /** Closes the open segment if it has lines. Returns closed segments, oldest first. */
  rotate(): readonly string[];
  read(segment: string): readonly string[];
  remove(segment: string): void;
  /** Bytes in segments that are not removed yet. */
  bytes(): number;
  /** Leaves closed segments where they are. */
  close(): void;
}

/**
 * Opens a journal below `folder`, in a folder of its own named after the process, so that several processes on one
 * data folder do not meet. Throws what the file system throws.
 */
export function openJournal(folder: string, processId: number): Journal {
  const own = join(folder, `${processId}-${Date.now().toString(36)}`);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const closed = adopt(folder, own);
  let written = 0;
  let kept = closed.reduce((sum, segment) => sum + statSync(segment).size, 0);
  let number = 0;
  let path = '';
  let file: number | null = null;

  function openSegment(): number {
    path = join(own, `${String(number++).padStart(9, '0')}.jsonl`);
    written = 0;
    return openSync(path, 'a', 0o600);
  }

  function closeSegment(): void {
    if (file === null) return;
    closeSync(file);
    file = null;
    closed.push(path);
    kept += written;
    written = 0;
  }

  return {
    append(line) {
      file ??= openSegment();
      written += writeSync(file, `${line}\n`);
    },
    rotate() {
      closeSegment();
      return [...closed];
    },
    read: (segment) => readLines(segment),
    remove(segment) {
      const index = closed.indexOf(segment);
      if (index < 0) return;
      kept -= statSync(segment).size;
      rmSync(segment);
      closed.splice(index, 1);
    },
    bytes: () => kept + written,
    close() {
      closeSegment();
      if (closed.length === 0) removeFolder(own);
    },
  };
}

/** A last line without its end was being written when the process died; its request had not been answered. */
function readLines(segment: string): string[] {
  const text = readFileSync(segment, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '');
}

/** Segments of processes that are no more. Handing a line on twice is harmless, so being wrong about one is too. */
function adopt(folder: string, own: string): string[] {
  const segments: string[] = [];
  for (const name of readdirSync(folder).toSorted()) {
    const path = join(folder, name);
    if (path === own || isAlive(Number.parseInt(name, 10))) continue;
    const files = readdirSync(path).toSorted();
    if (files.length === 0) removeFolder(path);
    segments.push(...files.map((file) => join(path, file)));
  }
  return segments;
}

function isAlive(processId: number): boolean {
  if (processId === process.pid) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function removeFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Somebody else removed it, or put something in: both are fine.
  }
}
