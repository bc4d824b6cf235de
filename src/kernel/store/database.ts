import { join, resolve } from 'node:path';

import { Kysely } from 'kysely';

import { Fault } from '../faults.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { defaultPostgresLimits, openPostgres, type PostgresAccess } from './postgres/open-postgres.ts';
import type { Schema } from './schema.ts';
import type { ThreadEvents } from './sqlite/kept-thread.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import { lockStore } from './sqlite/store-lock.ts';
import { defaultQueueLimits } from './sqlite/queue.ts';
import type { Store } from './store.ts';

export interface Database {
  /** Takes everything. A read sees every write that was asked for before it. */
  readonly db: Kysely<Schema>;
  /**
   * Single reads that neither wait for writes nor hold them up: search and lists. A read sees every write that was
   * acknowledged before it.
   */
  readonly reader: Kysely<Schema>;
  /** The same for reads over many rows, such as sums: they leave some of the threads or connections to the others. */
  readonly reports: Kysely<Schema>;
  readonly store: Store;
  /** What only PostgreSQL has; null elsewhere. */
  readonly postgres: PostgresAccess | null;
  /** `down` while the store cannot answer. It comes back by itself, unless `threadEvents` said otherwise. */
  health(): 'ok' | 'down';
  /** Transactions committed since opening, and statements that wait or are under way. */
  stats(): { readonly commits: number; readonly waiting: number };
  /** Takes nothing new, waits for all that was accepted, and closes. May be called again. */
  close(): Promise<void>;
}

interface DatabaseOptions {
  /** Where `sqlite` without a path keeps its file. Created when absent, readable by its owner only. */
  readonly dataFolder: string;
  /** False leaves the schema as it is and refuses a store that lacks a step. Default true. */
  readonly migrates?: boolean;
  /** For commands that read or write everything in one transaction: no time limits. Default false. */
  readonly isBulk?: boolean;
  /** Takes an embedded store for this process, beside which only commands may use it. Default false. */
  readonly isServer?: boolean;
  /** Of an embedded store. */
  readonly threadEvents?: ThreadEvents;
}

/**
 * Opens the store that `url` names and brings its schema up to date. `sqlite` is `<dataFolder>/nestor.db`;
 * `sqlite:PATH` is relative to the working directory; `sqlite::memory:` is gone when closed;
 * `postgres://USER:PASSWORD@HOST:PORT/NAME` is a database that exists. What was acknowledged survives the death of
 * the process. Throws an Error of one line that begins with `database: `.
 */
export async function openDatabase(url: string, options: DatabaseOptions): Promise<Database> {
  if (isPostgres(url)) return openPostgresDatabase(url, options);
  return openSqliteDatabase(parsePath(url, options.dataFolder), options);
}

async function openSqliteDatabase(
  path: string,
  { isBulk, migrates, threadEvents, isServer }: DatabaseOptions,
): Promise<Database> {
  const lock = isServer === true && path !== ':memory:' ? lockStore(path) : null;
  // A step on a large table takes what it takes.
  const limits = { ...defaultQueueLimits, transactionTimeMaxMs: dayMs };
  const sqlite = await openSqlite({ path, limits, events: threadEvents }).catch((error: unknown) => {
    lock?.release();
    throw error;
  });
  const db = new Kysely<Schema>({ dialect: sqlite.dialect });
  const reader = new Kysely<Schema>({ dialect: sqlite.readDialect(2) });
  const reports = new Kysely<Schema>({ dialect: sqlite.readDialect(1) });
  let isClosed = false;

  async function close(): Promise<void> {
    isClosed = true;
    await sqlite.close();
    await db.destroy();
    lock?.release();
  }

  try {
    await migrate(db, migrations, migrates);
    if (isBulk !== true) limits.transactionTimeMaxMs = defaultQueueLimits.transactionTimeMaxMs;
  } catch (error) {
    await close();
    throw toOneLine(error, path);
  }
  return {
    db,
    reader,
    reports,
    store: 'sqlite',
    postgres: null,
    health: () => (!isClosed && sqlite.isAlive() ? 'ok' : 'down'),
    stats: () => sqlite.stats(),
    close,
  };
}

async function openPostgresDatabase(url: string, { isBulk, migrates }: DatabaseOptions): Promise<Database> {
  await migratePostgres(url, migrates);
  const unlimited = { statementTimeMaxMs: 0, transactionIdleMaxMs: 0 };
  const postgres = await openPostgres(url, { ...defaultPostgresLimits, ...(isBulk === true && unlimited) });
  const db = new Kysely<Schema>({ dialect: postgres.dialect });
  const reader = new Kysely<Schema>({ dialect: postgres.readDialect(5) });
  const reports = new Kysely<Schema>({ dialect: postgres.readDialect(2) });
  let isClosed = false;
  return {
    db,
    reader,
    reports,
    store: 'postgres',
    postgres,
    health: () => (!isClosed && postgres.isUp() ? 'ok' : 'down'),
    stats: () => postgres.stats(),
    async close() {
      isClosed = true;
      await postgres.close();
      await db.destroy();
    },
  };
}

/** Through a connection of its own without time limits: a step on a large table takes what it takes. */
async function migratePostgres(url: string, migrates: boolean | undefined): Promise<void> {
  const limits = {
    ...defaultPostgresLimits,
    connectionsMax: 1,
    statementTimeMaxMs: 0,
    transactionIdleMaxMs: 0,
  };
  const postgres = await openPostgres(url, limits);
  try {
    await migrate(new Kysely<Schema>({ dialect: postgres.dialect }), migrations, migrates);
  } catch (error) {
    throw toOneLine(error, postgres.label);
  } finally {
    await postgres.close();
  }
}

/** Where an embedded store lies; null for another, and for one in memory. */
export function toSqlitePath(url: string, dataFolder: string): string | null {
  if (isPostgres(url)) return null;
  const path = parsePath(url, dataFolder);
  return path === ':memory:' ? null : path;
}

function isPostgres(url: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(url);
}

const dayMs = 86_400_000;

/** Never repeats the url: that of another store carries a password. */
function parsePath(url: string, dataFolder: string): string {
  if (url === 'sqlite') return resolve(join(dataFolder, 'nestor.db'));
  if (!url.startsWith('sqlite:')) throw new Error('database: write sqlite, sqlite:PATH or postgres://…');
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
