import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type {
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  Driver,
  QueryResult,
  TransactionSettings,
} from 'kysely';

import { refuseControl } from '../value.ts';
import { PostgresError } from './errors.ts';
import type { Lease } from './lease.ts';

interface Leases {
  lease(): Promise<Lease>;
}

/** Kysely over a pool. `onCommit` is called per transaction or lone statement that may have written. */
export function createPostgresDialect(pool: Leases, onCommit: () => void): Dialect {
  return {
    createDriver: () => new PoolDriver(pool, onCommit),
    createAdapter: () => new UnlockedAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

/**
 * Disables Kysely's session lock of migrations: it is taken too late, and releasing it in a failed transaction hides
 * the failure. `migrate.ts` takes its own.
 */
class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}

  override async releaseMigrationLock(): Promise<void> {}
}

class LeasedConnection implements DatabaseConnection {
  readonly lease: Lease;
  readonly #onCommit: () => void;
  isInTransaction = false;

  constructor(lease: Lease, onCommit: () => void) {
    this.lease = lease;
    this.#onCommit = onCommit;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    refuseControl(sql);
    const { command, rowCount, rows } = await this.lease.query({ text: sql, values: parameters });
    if (!this.isInTransaction && command !== 'SELECT') this.#onCommit();
    const result = { rows: rows as R[] };
    return changing.has(command) ? { ...result, numAffectedRows: BigInt(rowCount ?? 0) } : result;
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('this store does not stream; read in pages');
  }
}

const changing: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

class PoolDriver implements Driver {
  readonly #pool: Leases;
  readonly #onCommit: () => void;

  constructor(pool: Leases, onCommit: () => void) {
    this.#pool = pool;
    this.#onCommit = onCommit;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new LeasedConnection(await this.#pool.lease(), this.#onCommit);
  }

  async beginTransaction(
    connection: DatabaseConnection,
    { isolationLevel, accessMode }: TransactionSettings,
  ): Promise<void> {
    const ours = toOurs(connection);
    // Both are from closed lists of Kysely.
    const level = isolationLevel === undefined ? '' : ` isolation level ${isolationLevel}`;
    const mode = accessMode === undefined ? '' : ` ${accessMode}`;
    await ours.lease.query({ text: `start transaction${level}${mode}`, values: [] });
    ours.isInTransaction = true;
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const ours = toOurs(connection);
    const { command } = await ours.lease.query({ text: 'commit', values: [] });
    ours.isInTransaction = false;
    // PostgreSQL answers the commit of a failed transaction with a rollback and no error.
    if (command === 'ROLLBACK') {
      throw new PostgresError('the transaction was rolled back by the store', null, 'commit');
    }
    this.#onCommit();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    const ours = toOurs(connection);
    if (!ours.isInTransaction) return;
    await ours.lease.query({ text: 'rollback', values: [] });
    ours.isInTransaction = false;
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const ours = toOurs(connection);
    // Still set when neither commit nor rollback came through.
    ours.lease.release(ours.isInTransaction);
  }

  async destroy(): Promise<void> {}
}

function toOurs(connection: DatabaseConnection): LeasedConnection {
  if (connection instanceof LeasedConnection) return connection;
  throw new TypeError('a connection of another driver');
}
