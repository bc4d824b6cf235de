import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorCode } from '../../kit/errors.ts';

import { damageRemedy, isDamage, type WorkerInput } from './protocol.ts';

/** Application id in the SQLite header: "NEST". */
const applicationId = 0x4e455354;

/** Longest wait of a statement for another process that writes. */
const busyTimeoutMs = 5_000;

/**
 * Opens or creates the file, readable by its owner only. Throws a one-line Error for an unwritable path, a damaged
 * file, and a database of another program, which stays untouched.
 */
export function openFile({ path, access }: WorkerInput): DatabaseSync {
  if (access !== 'create') refuseMissing(path);
  else if (path !== ':memory:') prepareFile(path);
  let database: DatabaseSync | undefined;
  try {
    const readOnly = access === 'read';
    database = new DatabaseSync(path, {
      timeout: busyTimeoutMs,
      enableForeignKeyConstraints: true,
      readOnly,
    });
    database.exec('PRAGMA trusted_schema = OFF');
    database.exec('PRAGMA temp_store = MEMORY');
    if (!readOnly) claim(database, path);
    return database;
  } catch (error) {
    database?.close();
    throw explainFile(error, path);
  }
}

/** SQLite gives `-wal` and `-shm` files the mode of the main file. */
function prepareFile(path: string): void {
  prepareFolder(path, () => closeSync(openSync(path, 'a', 0o600)));
}

/** Creates the folder of a store and runs `andThen`. Throws a one-line Error. */
export function prepareFolder(path: string, andThen = () => {}): void {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
    andThen();
  } catch (error) {
    const reason = errorCode(error) ?? String(error);
    throw new Error(`database: ${path} cannot be written (${reason})`, { cause: error });
  }
}

/** An empty file in place of a lost one would look like an empty store. */
function refuseMissing(path: string): void {
  if (!existsSync(path)) throw new Error(`database: ${path} is gone; put it back, or restore a backup`);
}

export function isNestorFile(database: DatabaseSync): boolean {
  return database.prepare('PRAGMA application_id').get()?.['application_id'] === applicationId;
}

function claim(database: DatabaseSync, path: string): void {
  // Before the first write: turning on the WAL changes a foreign file.
  const isOurs = isNestorFile(database);
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (!isOurs && !isEmpty) throw new Error(`database: ${path} belongs to another program`);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  // Truncates the WAL file to this at the next reset.
  database.exec('PRAGMA journal_size_limit = 67108864');
  if (!isOurs) database.exec(`PRAGMA application_id = ${applicationId}`);
}

/** A one-line Error with a remedy. */
export function explainFile(error: unknown, path: string): Error {
  if (!(error instanceof Error)) return new Error(`database: ${path}: ${String(error)}`);
  const errcode = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null;
  if (errcode === null) return error;
  if (isDamage(errcode))
    return new Error(`database: ${path} is damaged (${error.message}); ${damageRemedy}`, { cause: error });
  return new Error(`database: ${path} cannot be opened (${error.message})`, { cause: error });
}
