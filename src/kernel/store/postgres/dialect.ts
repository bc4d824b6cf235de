import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { CompiledQuery, Dialect, QueryResult, TransactionSettings } from 'kysely';

import { createDialect, StoreConnection } from '../kysely-driver.ts';
import { refuseControl } from '../value.ts';
import { PostgresError } from './errors.ts';
import type { Lease } from './lease.ts';

/** Kysely over a pool or a share. `onCommit` is called per transaction or lone statement that may have written. */
export function createPostgresDialect(pool: { lease(): Promise<Lease> }, onCommit: () => void): Dialect {
  return createDialect(
    {
      createAdapter: () => new UnlockedAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
    async () => new LeasedConnection(await pool.lease(), onCommit),
  );
}

/**
 * Disables Kysely's session lock of migrations: it is taken too late, and releasing it in a failed transaction hides
 * the failure. `migrate.ts` takes its own.
 */
class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}

  override async releaseMigrationLock(): Promise<void> {}
}

const changing: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

class LeasedConnection extends StoreConnection {
  readonly #lease: Lease;
  readonly #onCommit: () => void;
  #isInTransaction = false;

  constructor(lease: Lease, onCommit: () => void) {
    super();
    this.#lease = lease;
    this.#onCommit = onCommit;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    refuseControl(sql);
    const { command, rowCount, rows } = await this.#lease.query({ text: sql, values: parameters });
    if (!this.#isInTransaction && command !== 'SELECT') this.#onCommit();
    const result = { rows: rows as R[] };
    return changing.has(command) ? { ...result, numAffectedRows: BigInt(rowCount ?? 0) } : result;
  }

  async begin({ isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    // Both are from closed lists of Kysely.
    const level = isolationLevel === undefined ? '' : ` isolation level ${isolationLevel}`;
    const mode = accessMode === undefined ? '' : ` ${accessMode}`;
    await this.#lease.query({ text: `start transaction${level}${mode}`, values: [] });
    this.#isInTransaction = true;
  }

  async commit(): Promise<void> {
    const { command } = await this.#lease.query({ text: 'commit', values: [] });
    this.#isInTransaction = false;
    // PostgreSQL answers the commit of a failed transaction with a rollback and no error.
    if (command === 'ROLLBACK')
      throw new PostgresError('the transaction was rolled back by the store', null, 'commit');
    this.#onCommit();
  }

  async rollback(): Promise<void> {
    if (!this.#isInTransaction) return;
    await this.#lease.query({ text: 'rollback', values: [] });
    this.#isInTransaction = false;
  }

  /** Closes the connection where neither commit nor rollback came through. */
  override async release(): Promise<void> {
    this.#lease.release(this.#isInTransaction);
  }
}
