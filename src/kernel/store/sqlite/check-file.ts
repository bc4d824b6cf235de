import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { DatabaseSync } from 'node:sqlite';

import { damageRemedy } from './protocol.ts';
import { explainFile, isNestorFile } from './open-file.ts';

interface FileReport {
  readonly bytes: number;
  readonly sha256: string;
  /** Migrations that it has run. */
  readonly steps: readonly string[];
  /** Of the requested tables that exist. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Checks every page of a store. Rejects with a one-line Error for a damaged or foreign file. */
export async function checkFile(path: string, tables: readonly string[]): Promise<FileReport> {
  const found = readAll(path, tables);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { ...found, bytes: statSync(path).size, sha256: hash.digest('hex') };
}

function readAll(path: string, tables: readonly string[]): Pick<FileReport, 'steps' | 'rows'> {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    if (!isNestorFile(database)) throw new Error(`database: ${path} is no store of Nestor`);
    const [first] = database.prepare('PRAGMA integrity_check(1)').all();
    const verdict = String(first?.['integrity_check']);
    if (verdict !== 'ok')
      throw new Error(`database: ${path} is damaged (${verdict.split('\n', 1)[0] ?? ''}); ${damageRemedy}`);
    return { steps: readSteps(database), rows: countRows(database, tables) };
  } catch (error) {
    throw explainFile(error, path);
  } finally {
    database?.close();
  }
}

function readSteps(database: DatabaseSync): readonly string[] {
  const rows = database.prepare('SELECT name FROM kysely_migration ORDER BY name').all();
  return rows.map(({ name }) => String(name));
}

function countRows(database: DatabaseSync, tables: readonly string[]): Readonly<Record<string, number>> {
  const known = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const names = new Set(known.map(({ name }) => name));
  const counts = tables
    .filter((table) => names.has(table))
    .map((table) => [table, Number(database.prepare(`SELECT count(*) AS n FROM "${table}"`).get()?.['n'])]);
  return Object.fromEntries(counts) as Record<string, number>;
}
