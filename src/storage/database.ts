import { join, resolve } from 'node:path';

import { Kysely } from 'kysely';

import { Fault } from '../faults.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import type { Schema } from './schema.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';

export interface Database {
  readonly db: Kysely<Schema>;
  /** `down` once the store can no longer answer; it does not come back without a restart. */
  health(): 'ok' | 'down';
  /** Transactions committed since opening, and statements that wait or are under way. */
  stats(): { readonly commits: number; readonly waiting: number };
  /** Takes nothing new, waits for all that was accepted, and closes. May be called again. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Where `sqlite` without a path keeps its file. Created when absent, readable by its owner only. */
  readonly dataFolder: string;
}

/**
 * Opens the store that `url` names and brings its schema up to date. `sqlite` is `<dataFolder>/nestor.db`;
 * `sqlite:PATH` is relative to the working directory; `sqlite::memory:` is gone when closed. What was
 * acknowledged survives the death of the process. Throws an Error of one line that begins with `database: `.
 */
export async function openDatabase(url: string, options: DatabaseOptions): Promise<Database> {
  const path = parsePath(url, options);
  const sqlite = await openSqlite({ path });
  const db = new Kysely<Schema>({ dialect: sqlite.dialect });
  let isClosed = false;

  async function close(): Promise<void> {
    isClosed = true;
    await sqlite.close();
    await db.destroy();
  }

  try {
    await migrate(db, migrations);
  } catch (error) {
    await close();
    throw toOneLine(error, path);
  }
  return {
    db,
    health: () => (!isClosed && sqlite.isAlive() ? 'ok' : 'down'),
    stats: () => sqlite.stats(),
    close,
  };
}

/** Never repeats the url: that of another store carries a password. */
function parsePath(url: string, { dataFolder }: DatabaseOptions): string {
  if (url === 'sqlite') return resolve(join(dataFolder, 'nestor.db'));
  if (!url.startsWith('sqlite:')) throw new Error('database: only sqlite is supported by this version');
  const path = url.slice('sqlite:'.length);
  if (path === ':memory:') return path;
  if (path === '' || path.startsWith('//') || path.includes('\0')) {
    throw new Error('database: write sqlite:PATH, for example sqlite:/var/lib/nestor/nestor.db');
  }
  return resolve(path);
}

function toOneLine(error: unknown, path: string): Error {
  const cause = error instanceof Fault ? error.cause : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  if (message.startsWith('database: ')) return new Error(`${message} [${path}]`, { cause: error });
  return new Error(`database: ${path} cannot be read (${message})`, { cause: error });
}
