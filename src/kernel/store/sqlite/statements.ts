import type { DatabaseSync, StatementSync } from 'node:sqlite';

interface Prepared {
  readonly statement: StatementSync;
  /** True for a select, or a write with RETURNING. */
  readonly answersRows: boolean;
}

/**
 * LRU cache of prepared statements. Bounded because `in (?, ?, …)` makes a new text per length, and each statement
 * holds some KB inside SQLite.
 */
export class StatementCache {
  readonly #database: DatabaseSync;
  readonly #max: number;
  readonly #bySql = new Map<string, Prepared>();

  constructor(database: DatabaseSync, max: number) {
    this.#database = database;
    this.#max = max;
  }

  get size(): number {
    return this.#bySql.size;
  }

  prepare(sql: string): Prepared {
    const known = this.#bySql.get(sql);
    if (known !== undefined) {
      this.#bySql.delete(sql);
      this.#bySql.set(sql, known);
      return known;
    }
    const statement = this.#database.prepare(sql);
    const prepared = { statement, answersRows: statement.columns().length > 0 };
    // FTS5 sets last insert ids beyond 2^53, on which `run` would throw.
    if (!prepared.answersRows) statement.setReadBigInts(true);
    this.#bySql.set(sql, prepared);
    if (this.#bySql.size > this.#max) {
      const [oldest] = this.#bySql.keys();
      if (oldest !== undefined) this.#bySql.delete(oldest);
    }
    return prepared;
  }
}
