import { Kysely, type Dialect } from 'kysely';
import { errorMessage } from '../kit/errors.ts';

import { Fault } from '../faults.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { defaultPostgresLimits, openPostgres, type PostgresAccess } from './postgres/open-postgres.ts';
import type { Schema } from './schema.ts';
import type { ThreadEvents } from './sqlite/kept-thread.ts';
import { openSqlite, type Sqlite } from './sqlite/open-sqlite.ts';
import { lockStore } from './sqlite/store-lock.ts';
import { isPostgres, parsePath } from './store-address.ts';
import { defaultQueueLimits } from './sqlite/queue.ts';
import type { Store } from './store.ts';

export interface Database {
  /** Reads see every write that was requested before them. */
  readonly db: Kysely<Schema>;
  /** Single reads beside the writes, for search and lists. They see every write acknowledged before them. */
  readonly reader: Kysely<Schema>;
  /** The same for reads over many rows, which leave some threads or connections to others. */
  readonly reports: Kysely<Schema>;
  readonly store: Store;
  /** PostgreSQL only; null elsewhere. */
  readonly postgres: PostgresAccess | null;
  /** `down` while the store cannot answer. It recovers by itself, unless `threadEvents` reported it lost. */
  health(): 'ok' | 'down';
  /** Transactions committed since opening, and statements waiting or running. */
  stats(): { readonly commits: number; readonly waiting: number };
  /** Refuses new statements, waits for accepted ones, and closes. May be called again. */
  close(): Promise<void>;
}

interface DatabaseOptions {
  /** Folder of `sqlite` without a path. Created when absent, readable by its owner only. */
  readonly dataFolder: string;
  /** False refuses an outdated schema instead of migrating. Default true. */
  readonly migrates?: boolean;
  /** For commands that read or write everything in one transaction: no time limits. Default false. */
  readonly isBulk?: boolean;
  /** Locks an embedded store for this process and commands beside it. Default false. */
  readonly isServer?: boolean;
  /** Embedded store only. */
  readonly threadEvents?: ThreadEvents;
}

/**
 * Opens the store named by `url` and migrates it. `sqlite` is `<dataFolder>/nestor.db`; `sqlite:PATH` is relative to
 * the working directory; `sqlite::memory:` is temporary; `postgres://USER:PASSWORD@HOST:PORT/NAME` must exist.
 * Acknowledged writes survive the death of the process. Rejects with a one-line Error that begins with `database: `.
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
  // A migration of a large table may take long.
  const limits = { ...defaultQueueLimits, transactionTimeMaxMs: dayMs };
  const sqlite = await openSqlite({ path, limits, events: threadEvents }).catch((error: unknown) => {
    lock?.release();
    throw error;
  });
  const close = async () => {
    await sqlite.close();
    lock?.release();
  };
  const database = toDatabase('sqlite', { ...sqlite, close }, 2, 1, null);
  try {
    await migrate(database.db, migrations, migrates);
    if (isBulk !== true) limits.transactionTimeMaxMs = defaultQueueLimits.transactionTimeMaxMs;
  } catch (error) {
    await database.close();
    throw toOneLine(error, path);
  }
  return database;
}

const unlimited = { ...defaultPostgresLimits, statementTimeMaxMs: 0, transactionIdleMaxMs: 0 };

async function openPostgresDatabase(url: string, { isBulk, migrates }: DatabaseOptions): Promise<Database> {
  await migratePostgres(url, migrates);
  const postgres = await openPostgres(url, isBulk === true ? unlimited : defaultPostgresLimits);
  return toDatabase('postgres', postgres, 5, 2, postgres);
}

/** Uses a connection without time limits: a migration of a large table may take long. */
async function migratePostgres(url: string, migrates: boolean | undefined): Promise<void> {
  const postgres = await openPostgres(url, { ...unlimited, connectionsMax: 1 });
  try {
    await migrate(new Kysely<Schema>({ dialect: postgres.dialect }), migrations, migrates);
  } catch (error) {
    throw toOneLine(error, postgres.label);
  } finally {
    await postgres.close();
  }
}

function toDatabase(
  store: Store,
  engine: Sqlite,
  readersMax: number,
  reportsMax: number,
  postgres: PostgresAccess | null,
): Database {
  const open = (dialect: Dialect) => new Kysely<Schema>({ dialect });
  const db = open(engine.dialect);
  let isClosed = false;
  return {
    db,
    reader: open(engine.readDialect(readersMax)),
    reports: open(engine.readDialect(reportsMax)),
    store,
    postgres,
    health: () => (!isClosed && engine.isUp() ? 'ok' : 'down'),
    stats: engine.stats,
    async close() {
      isClosed = true;
      await engine.close();
      await db.destroy();
    },
  };
}

const dayMs = 86_400_000;

function toOneLine(error: unknown, path: string): Error {
  const cause = error instanceof Fault ? error.cause : error;
  const message = errorMessage(cause);
  if (message.startsWith('database: ')) return new Error(`${message} [${path}]`, { cause: error });
  return new Error(`database: ${path} cannot be read (${message})`, { cause: error });
}
