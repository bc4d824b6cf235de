import type { DatabaseSync } from 'node:sqlite';

import type { Failed, Outcome, Statement, Step, WorkerInput } from './protocol.ts';
import { StatementCache } from './statements.ts';

const statementsKept = 256;

/** Runs batches on the open file. Everything here is synchronous and belongs to the worker thread. */
export class Store {
  readonly #database: DatabaseSync;
  readonly #statements: StatementCache;
  readonly #access: WorkerInput['access'];
  #commits = 0;

  constructor(database: DatabaseSync, access: WorkerInput['access']) {
    this.#database = database;
    this.#access = access;
    this.#statements = new StatementCache(database, statementsKept);
  }

  /** Write transactions committed since opening. */
  get commits(): number {
    return this.#commits;
  }

  /**
   * Runs independent statements and returns when all that succeeded are on disk. One fsync serves them all;
   * a statement that fails takes back its own changes only.
   */
  runGroup(statements: readonly Statement[]): readonly Outcome[] {
    if (statements.every((statement) => statement.reads)) {
      return statements.map((statement) => this.#attempt(statement));
    }
    try {
      this.#database.exec('BEGIN IMMEDIATE');
    } catch (error) {
      return statements.map(() => toFailed(error));
    }
    const outcomes: Outcome[] = [];
    for (const statement of statements) {
      const outcome = this.#attempt(statement);
      if (!outcome.ok && this.#isSpoiled(outcome)) return this.#runApart(statements, outcome);
      outcomes.push(outcome);
    }
    return this.#commitGroup(statements, outcomes);
  }

  #commitGroup(statements: readonly Statement[], outcomes: readonly Outcome[]): readonly Outcome[] {
    try {
      this.#commit();
      return outcomes;
    } catch (error) {
      return this.#runApart(statements, toFailed(error));
    }
  }

  /** Runs the next steps of an interactive transaction; only `begin` and `rollback` may find none open. */
  runOwn(steps: readonly Step[]): readonly Outcome[] {
    return steps.map((step) => {
      try {
        if (step === 'begin') this.#database.exec('BEGIN IMMEDIATE');
        else if (step === 'begin read') this.#database.exec('BEGIN DEFERRED');
        else if (step === 'rollback') this.#rollback();
        // SQLite ends a transaction by itself on a full disk or an I/O error. What follows would then commit alone.
        else if (!this.#database.isTransaction)
          throw new Error('the transaction was rolled back by the store');
        else if (step !== 'commit') return this.#attempt(step);
        else this.#commitOrRollback();
        return nothing;
      } catch (error) {
        return toFailed(error);
      }
    });
  }

  #commitOrRollback(): void {
    try {
      this.#commit();
    } catch (error) {
      this.#rollback();
      throw error;
    }
  }

  /**
   * After a failure that spoils the whole group: takes all of it back and runs each statement in a
   * transaction of its own. Nothing was acknowledged yet, so nothing happens twice.
   */
  #runApart(statements: readonly Statement[], failed: Failed): readonly Outcome[] {
    this.#rollback();
    if (statements.length === 1) return [failed];
    return statements.flatMap((statement) => this.runGroup([statement]));
  }

  /**
   * True when a failure did more than fail: SQLite closed the transaction (full disk, I/O error), or the
   * statement may have written before Node refused a result (an integer beyond 2^53 in RETURNING).
   */
  #isSpoiled(failed: Failed): boolean {
    return !this.#database.isTransaction || failed.errcode === null;
  }

  #attempt({ sql, parameters }: Statement): Outcome {
    try {
      const { statement, answersRows } = this.#statements.prepare(sql);
      if (!answersRows) return { ok: true, rows: [], changes: Number(statement.run(...parameters).changes) };
      // Integers come as numbers; Node throws on one beyond 2^53.
      return { ok: true, rows: statement.all(...parameters), changes: null };
    } catch (error) {
      return toFailed(error);
    }
  }

  #commit(): void {
    this.#database.exec('COMMIT');
    this.#commits++;
  }

  #rollback(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }

  close(): void {
    this.#rollback();
    if (this.#access === 'read') {
      this.#database.close();
      return;
    }
    try {
      // The checkpoint below would wait for readers of other processes as long as a statement may.
      this.#database.exec('PRAGMA busy_timeout = 100');
      // Leaves one file behind instead of three. Another process that reads may prevent it; that loses nothing.
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      this.#database.close();
    }
  }
}

const nothing: Outcome = { ok: true, rows: [], changes: 0 };

function toFailed(error: unknown): Failed {
  const message = error instanceof Error ? error.message : String(error);
  const errcode =
    error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null;
  return { ok: false, message, errcode };
}
