/**
 * Preloaded into a server: kills it at a moment of the end of a fit that is taken, from the thread that runs the
 * statements. KILL_AT_FIT_END holds the moment, and how many fits are to be taken before.
 */
import { spawn } from 'node:child_process';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import pg from 'pg';

/**
 * - **before**: what was learned is to be stored.
 * - **within**: it is stored, and not committed.
 * - **amid**: by another process, while it is committed.
 * - **after**: it is committed, and the server was not told.
 */
export type Moment = 'before' | 'within' | 'amid' | 'after';

type Query = (this: object, config: unknown, ...rest: readonly unknown[]) => Promise<unknown>;

class Killer {
  readonly #moment: string;
  #left: number;
  /** Connections whose transaction ends the fit. */
  readonly #ending = new WeakSet<object>();

  constructor(moment: string, passedOver: number) {
    this.#moment = moment;
    this.#left = passedOver;
  }

  onStatement(connection: object, sql: string, values: readonly unknown[]): void {
    if (!sql.startsWith('update "decider_fits" set ') || !values.includes('taken')) return;
    if (this.#left-- > 0) return;
    this.#ending.add(connection);
    this.#killAt('before');
  }

  onCommit(connection: object): void {
    if (!this.#ending.has(connection)) return;
    this.#killAt('within');
    if (this.#moment === 'amid') spawn('kill', ['-9', String(process.pid)]);
  }

  onCommitted(connection: object): void {
    if (this.#ending.has(connection)) this.#killAt('after');
  }

  #killAt(moment: Moment): void {
    if (moment === this.#moment) process.kill(process.pid, 'SIGKILL');
  }
}

type Run = (this: StatementSync, ...values: unknown[]) => unknown;

/** A thread has one connection that writes. */
function watchSqlite(killer: Killer): void {
  const connection = {};
  const statements = StatementSync.prototype as unknown as Record<'run' | 'all', Run>;
  for (const name of ['run', 'all'] as const) {
    const run = statements[name];
    statements[name] = function watched(this: StatementSync, ...values) {
      killer.onStatement(connection, this.sourceSQL, values);
      return run.apply(this, values);
    };
  }
  const databases = DatabaseSync.prototype as { exec: (this: DatabaseSync, sql: string) => void };
  const { exec } = databases;
  databases.exec = function watched(this: DatabaseSync, sql) {
    const isCommit = sql === 'COMMIT';
    if (isCommit) killer.onCommit(connection);
    exec.call(this, sql);
    if (isCommit) killer.onCommitted(connection);
  };
}

function watchPostgres(killer: Killer): void {
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  prototype.query = async function watched(this: object, config, ...rest) {
    const { text = '', values = [] } = config as { text?: string; values?: readonly unknown[] };
    killer.onStatement(this, text, values);
    if (text === 'commit') killer.onCommit(this);
    const result = await query.call(this, config, ...rest);
    if (text === 'commit') killer.onCommitted(this);
    return result;
  };
}

const [moment, passedOver] = (process.env['KILL_AT_FIT_END'] ?? '').split(' ');
if (moment !== undefined && passedOver !== undefined) {
  const killer = new Killer(moment, Number(passedOver));
  watchSqlite(killer);
  watchPostgres(killer);
}
