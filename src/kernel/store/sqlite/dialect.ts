import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type {
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  Driver,
  QueryResult,
  TransactionSettings,
} from 'kysely';

import { Fault } from '../../faults.ts';
import { StatementError, type StatementErrorKind } from '../errors.ts';
import { refuseControl, toValue } from '../value.ts';
import { damageRemedy, isDamage } from './damage.ts';
import type { Done, Outcome, Statement } from './protocol.ts';
import type { StatementQueue, Transaction } from './queue.ts';
import type { ReadShare } from './readers.ts';

/** By extended result code: unique, primary key, rowid, foreign key, check, not null. */
const kinds: ReadonlyMap<number, StatementErrorKind> = new Map([
  [2067, 'unique'],
  [1555, 'unique'],
  [2579, 'unique'],
  [787, 'foreign_key'],
  [275, 'check'],
  [1299, 'not_null'],
  // Too big, mismatch, range.
  [18, 'value'],
  [20, 'value'],
  [25, 'value'],
]);

/** A statement that SQLite refused, without values, so it may be logged. */
export class SqliteError extends StatementError {
  /** Extended result code; null when the failure is not SQLite's. */
  readonly errcode: number | null;

  constructor(message: string, errcode: number | null, sql: string) {
    super(message, (errcode !== null ? kinds.get(errcode) : undefined) ?? 'other', sql);
    this.name = 'SqliteError';
    this.errcode = errcode;
  }
}

/** Kysely over the storage thread. */
export function createSqliteDialect(queue: StatementQueue): Dialect {
  return toDialect(() => new QueueDriver(queue));
}

/** Kysely over the reader threads: single reads only. */
export function createReadDialect(share: ReadShare): Dialect {
  return toDialect(() => new ReadDriver(share));
}

function toDialect(createDriver: () => Driver): Dialect {
  return {
    createDriver,
    createAdapter: () => new ConcurrentAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** With a single connection Kysely would lock per statement, and no two could share a commit. */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /** A failed migration leaves nothing behind. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** A caller of the shared queue: a transaction, or a single statement. */
class QueueConnection implements DatabaseConnection {
  transaction: Transaction | null = null;
  readonly #queue: StatementQueue;

  constructor(queue: StatementQueue) {
    this.#queue = queue;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const outcome = await this.#queue.run(toStatement(query), this.transaction);
    return toResult(outcome, query.sql);
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error(noStreams);
  }
}

const noStreams = 'this store does not stream; read in pages';

function toStatement(query: CompiledQuery): Statement {
  const { sql } = query;
  refuseControl(sql);
  return { sql, parameters: query.parameters.map((value) => toValue(value)), reads: isRead(query) };
}

function toResult<R>(outcome: Outcome, sql: string): QueryResult<R> {
  refuseFailed(outcome, sql);
  const rows = outcome.rows as R[];
  return outcome.changes === null ? { rows } : { rows, numAffectedRows: BigInt(outcome.changes) };
}

class QueueDriver implements Driver {
  readonly #queue: StatementQueue;

  constructor(queue: StatementQueue) {
    this.#queue = queue;
  }

  async init(): Promise<void> {}

  acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(new QueueConnection(this.#queue));
  }

  async beginTransaction(connection: DatabaseConnection, { accessMode }: TransactionSettings): Promise<void> {
    const step = accessMode === 'read only' ? 'begin read' : 'begin';
    const { transaction, outcome } = await this.#queue.begin(step);
    refuseFailed(outcome, 'begin');
    toOurs(connection).transaction = transaction;
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#finish(connection, 'commit');
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#finish(connection, 'rollback');
  }

  async #finish(connection: DatabaseConnection, step: 'commit' | 'rollback'): Promise<void> {
    const { transaction } = toOurs(connection);
    if (transaction === null) return;
    refuseFailed(await this.#queue.finish(transaction, step), step);
    toOurs(connection).transaction = null;
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

class ReadConnection implements DatabaseConnection {
  readonly #share: ReadShare;

  constructor(share: ReadShare) {
    this.#share = share;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // SQLite itself refuses writes here.
    return toResult(await this.#share.run({ ...toStatement(query), reads: true }), query.sql);
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error(noStreams);
  }
}

class ReadDriver implements Driver {
  readonly #connection: ReadConnection;

  constructor(share: ReadShare) {
    this.#connection = new ReadConnection(share);
  }

  async init(): Promise<void> {}

  acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.#connection);
  }

  async beginTransaction(): Promise<void> {
    throw new TypeError('the reader of the store has no transactions');
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

function toOurs(connection: DatabaseConnection): QueueConnection {
  if (connection instanceof QueueConnection) return connection;
  throw new TypeError('a connection of another driver');
}

/** Not the statement's fault: busy, locked, read-only, I/O error, corrupt, full, cannot open, no database. */
const unavailable: ReadonlySet<number> = new Set([5, 6, 8, 10, 11, 13, 14, 26]);

const diskFull = 13;

function refuseFailed(outcome: Outcome, sql: string): asserts outcome is Done {
  if (outcome.ok) return;
  const remedy = isDamage(outcome.errcode) ? `; ${damageRemedy}` : '';
  const cause = new SqliteError(`${outcome.message}${remedy}`, outcome.errcode, sql);
  if (outcome.errcode === null || !unavailable.has(outcome.errcode & 0xff)) throw cause;
  const message =
    (outcome.errcode & 0xff) === diskFull
      ? 'The disk of the database is full.'
      : 'The database is not available.';
  throw new Fault('service_unavailable', message, { cause });
}

const rawRead = /^\s*(?:select|explain|pragma)\b/i;

/** False in doubt: a write treated as a read would lose its durability. */
function isRead({ query, sql }: CompiledQuery): boolean {
  return query.kind === 'SelectQueryNode' || (query.kind === 'RawNode' && rawRead.test(sql));
}
