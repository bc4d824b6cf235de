import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../../kernel/kit/errors.ts';
import { lockFolder } from '../../../kernel/kit/folder-lock.ts';
import type { UsageRow } from '../store/usage-row.ts';
import { readRowFile, rowFilesIn } from './old-journal.ts';
import { openSetAside, setAsideFolder } from './set-aside.ts';
import { parseRow } from './usage-row.ts';

/** What one process wrote and the store does not have. */
export interface ProcessBacklog {
  readonly name: string;
  /** `left`: its process has gone, and the next server takes the rows over. `unknown`: it cannot be read. */
  readonly state: 'live' | 'left' | 'unknown';
  readonly rows: number;
  readonly damaged: number;
  readonly bytes: number;
  readonly oldestAtMs: number | null;
}

export type LedgerFiles = ReturnType<typeof inspectLedger>;

/** Looks at the files of a ledger, beside servers that write them. Changes nothing. */
export function inspectLedger(folder: string) {
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  const kinds = openSetAside(folder)
    .list()
    .map(({ kind }) => kind);
  return {
    folder,
    processes: entries
      .filter((entry) => entry.isDirectory() && entry.name !== setAsideFolder)
      .map(({ name }) => inspectProcess(join(folder, name), name)),
    /** Files of damaged records, and of rows that the store refused. */
    setAside: {
      damaged: kinds.filter((kind) => kind === 'damaged').length,
      refused: kinds.filter((kind) => kind === 'refused').length,
    },
    /** What lies there and is not of the ledger. */
    strays: entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name),
  };
}

function inspectProcess(path: string, name: string): ProcessBacklog {
  try {
    const state = stateOf(path);
    const all = rowFilesIn(path).map((file) => inspectFile(join(path, file)));
    const times = all.flatMap(({ oldestAtMs }) => (oldestAtMs === null ? [] : [oldestAtMs]));
    const sumOf = (of: 'rows' | 'damaged' | 'bytes') => all.reduce((sum, file) => sum + file[of], 0);
    return {
      name,
      state,
      rows: sumOf('rows'),
      damaged: sumOf('damaged'),
      bytes: sumOf('bytes'),
      oldestAtMs: times.length === 0 ? null : Math.min(...times),
    };
  } catch {
    return { name, state: 'unknown', rows: 0, damaged: 0, bytes: 0, oldestAtMs: null };
  }
}

/** Of a folder without a lock, which an earlier version wrote, nobody knows whether its process lives. */
function stateOf(path: string): ProcessBacklog['state'] {
  const file = join(path, 'lock');
  if (!existsSync(file)) return 'left';
  const lock = lockFolder(file);
  lock?.release();
  return lock === null ? 'live' : 'left';
}

function inspectFile(path: string): Omit<ProcessBacklog, 'name' | 'state'> {
  const { texts, bad, bytes } = readRowFile(path);
  const rows = texts.flatMap((text) => parseRow(text) ?? []);
  return {
    rows: rows.length,
    damaged: bad.length + texts.length - rows.length,
    bytes,
    oldestAtMs: rows[0]?.createdAtMs ?? null,
  };
}

/**
 * Rows in the journals of all processes on a folder, beside those processes and without taking anything over. Some of
 * them may be in the store already: storing a row again is harmless.
 */
export function readPendingRows(folder: string): readonly UsageRow[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
    .flatMap((path) => orGone(() => rowFilesIn(path)).map((file) => join(path, file)))
    .flatMap((path) => orGone(() => readRowFile(path).texts))
    .flatMap((text) => parseRow(text) ?? []);
}

/** What was handed on meanwhile is in the store. */
function orGone(read: () => readonly string[]): readonly string[] {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
