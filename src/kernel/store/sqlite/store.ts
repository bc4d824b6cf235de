import type { DatabaseSync } from 'node:sqlite';
import { errorMessage } from '../../kit/errors.ts';

import type { Failed, Outcome, Statement, Step, WorkerInput } from './protocol.ts';
import { StatementCache } from './statements.ts';

const statementsKept = 256;

/** Runs batches on the open file, synchronously, in the worker thread. */
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

  get commits(): number {
    return this.#commits;
  }

  /** Runs independent statements with one fsync for all. A failing one undoes only its own changes. */
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

  /** Runs steps of an interactive transaction. */
  runOwn(steps: readonly Step[]): readonly Outcome[] {
    return steps.map((step) => {
      try {
        if (step === 'begin') this.#database.exec('BEGIN IMMEDIATE');
        else if (step === 'begin read') this.#database.exec('BEGIN DEFERRED');
        else if (step === 'rollback') this.#rollback();
        // SQLite ends a transaction itself on a full disk or I/O error; what follows would commit alone.
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

  /** Rolls the group back and runs each statement in its own transaction. Nothing was acknowledged yet. */
  #runApart(statements: readonly Statement[], failed: Failed): readonly Outcome[] {
    this.#rollback();
    if (statements.length === 1) return [failed];
    return statements.flatMap((statement) => this.runGroup([statement]));
  }

  /**
   * Whether a failure affected the group: SQLite closed the transaction, or the statement may have written before
   * Node refused a result (an integer beyond 2^53 in RETURNING).
   */
  #isSpoiled(failed: Failed): boolean {
    return !this.#database.isTransaction || failed.errcode === null;
  }

  #attempt({ sql, parameters }: Statement): Outcome {
    try {
      const { statement, answersRows } = this.#statements.prepare(sql);
      if (!answersRows) return { ok: true, rows: [], changes: Number(statement.run(...parameters).changes) };
      // Node throws on an integer beyond 2^53.
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
      // The checkpoint would wait this long for readers of other processes.
      this.#database.exec('PRAGMA busy_timeout = 100');
      // Leaves one file instead of three; a reader in another process may prevent it, which loses nothing.
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      this.#database.close();
    }
  }
}

const nothing: Outcome = { ok: true, rows: [], changes: 0 };

function toFailed(error: unknown): Failed {
  const message = errorMessage(error);
  const errcode =
    error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null;
  return { ok: false, message, errcode };
}
