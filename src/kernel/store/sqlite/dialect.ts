import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type Dialect,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';

import { Fault } from '../../faults.ts';
import { StatementError, type StatementErrorKind } from '../errors.ts';
import { createDialect, StoreConnection } from '../kysely-driver.ts';
import { refuseControl, toValue } from '../value.ts';
import { damageRemedy, isDamage, type Done, type Outcome, type Statement } from './protocol.ts';
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
  return createDialect(parts, async () => new QueueConnection(queue));
}

/** Kysely over the reader threads: single reads only. */
export function createReadDialect(share: ReadShare): Dialect {
  const connection = new ReadConnection(share);
  return createDialect(parts, async () => connection);
}

const parts: Parameters<typeof createDialect>[0] = {
  createAdapter: () => new ConcurrentAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createIntrospector: (db) => new SqliteIntrospector(db),
};

class ConcurrentAdapter extends SqliteAdapter {
  /** With a single connection Kysely would lock per statement, and no two could share a commit. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /** A failed migration leaves nothing behind. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** A caller of the shared queue: a transaction, or a single statement. */
class QueueConnection extends StoreConnection {
  readonly #queue: StatementQueue;
  #transaction: Transaction | null = null;

  constructor(queue: StatementQueue) {
    super();
    this.#queue = queue;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return toResult(await this.#queue.run(toStatement(query), this.#transaction), query.sql);
  }

  async begin({ accessMode }: TransactionSettings): Promise<void> {
    const { transaction, outcome } = await this.#queue.begin(
      accessMode === 'read only' ? 'begin read' : 'begin',
    );
    refuseFailed(outcome, 'begin');
    this.#transaction = transaction;
  }

  commit(): Promise<void> {
    return this.#finish('commit');
  }

  rollback(): Promise<void> {
    return this.#finish('rollback');
  }

  async #finish(step: 'commit' | 'rollback'): Promise<void> {
    if (this.#transaction === null) return;
    refuseFailed(await this.#queue.finish(this.#transaction, step), step);
    this.#transaction = null;
  }
}

class ReadConnection extends StoreConnection {
  readonly #share: ReadShare;

  constructor(share: ReadShare) {
    super();
    this.#share = share;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // SQLite itself refuses writes here.
    return toResult(await this.#share.run({ ...toStatement(query), reads: true }), query.sql);
  }

  async begin(): Promise<void> {
    throw new TypeError('the reader of the store has no transactions');
  }

  async commit(): Promise<void> {}

  async rollback(): Promise<void> {}
}

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
