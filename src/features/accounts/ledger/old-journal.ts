import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isProcessAlive } from '../../../kernel/kit/process-alive.ts';
import { readFrames, trimRoom } from './frames.ts';

/** Some rows of a journal. */
export interface RowsRead {
  readonly texts: readonly string[];
  readonly bad: readonly Buffer[];
  readonly bytes: number;
}

// Journals as earlier versions wrote them: lines of JSON in folders named after a process id, without a lock.

const stillMs = 60_000;

/**
 * Whether the process of such a folder has gone. Its id may be that of another process by now, or of none in this
 * container: what nobody wrote to for a minute is left as well.
 */
export function adoptsOldFolder(path: string, nowMs: number): boolean {
  const id = Number.parseInt(basename(path), 10);
  if (id === process.pid || !isProcessAlive(id)) return true;
  const changedMs = readdirSync(path).map((file) => statSync(join(path, file)).mtimeMs);
  return Math.max(statSync(path).mtimeMs, ...changedMs) < nowMs - stillMs;
}

/** Names of the files of rows in the folder of a process, of this version or of one before, oldest first. */
export function rowFilesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((file) => /\.(?:rows|jsonl)$/.test(file))
    .toSorted();
}

/** Everything in such a file, with the bytes in use. */
export function readRowFile(path: string): RowsRead {
  const bytes = trimRoom(readFileSync(path));
  const { texts, bad } = path.endsWith('.jsonl') ? readOldLines(bytes) : readFrames(bytes);
  return { texts, bad, bytes: bytes.length };
}

/**
 * A disk that was full left half of a line, and the next line began right behind it: that one is found. A last line
 * without its end was being written when its process died.
 */
export function readOldLines(bytes: Buffer): { readonly texts: string[]; readonly bad: Buffer[] } {
  const texts: string[] = [];
  const bad: Buffer[] = [];
  const lines = bytes.toString('utf8', 0, bytes.lastIndexOf(0x0a) + 1).split('\n');
  for (const line of lines) {
    if (line === '') continue;
    const start = line.lastIndexOf(rowStart);
    const row = isJson(line) ? line : line.slice(Math.max(0, start));
    if (row !== line) bad.push(Buffer.from(`${line.slice(0, start)}\n`));
    if (isJson(row)) texts.push(row);
    else bad.push(Buffer.from(`${row}\n`));
  }
  return { texts, bad };
}

/** Every row begins so: its id was its first field. */
const rowStart = '{"id":"';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
