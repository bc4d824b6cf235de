import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UsageRow } from '../store/usage-row.ts';
import { readFrames, trimRoom } from './frames.ts';
import { readOldLines } from './old-journal.ts';
import { parseRow } from './usage-row.ts';

/**
 * Rows in the journals of all processes on a folder, beside those processes and without taking anything over. Some of
 * them may be in the store already: storing a row again is harmless.
 */
export function readPendingRows(folder: string): readonly UsageRow[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => filesIn(join(folder, name)))
    .flatMap((path) => textsOf(path))
    .flatMap((text) => parseRow(text) ?? []);
}

function filesIn(folder: string): readonly string[] {
  return orGone([], () =>
    readdirSync(folder)
      .filter((name) => /\.(?:rows|jsonl)$/.test(name))
      .map((name) => join(folder, name)),
  );
}

function textsOf(path: string): readonly string[] {
  const bytes = orGone(Buffer.alloc(0), () => trimRoom(readFileSync(path)));
  return path.endsWith('.jsonl') ? readOldLines(bytes).texts : readFrames(bytes).texts;
}

/** What was handed on meanwhile is in the store. */
function orGone<Value>(none: Value, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return none;
    throw error;
  }
}
