import type { Dialect } from 'kysely';
import type { Client, ClientConfig, QueryResultRow } from 'pg';

import { parseAddress } from './address.ts';
import { createPostgresDialect } from './dialect.ts';
import type { PostgresStatement } from './lease.ts';
import { ConnectionPool } from './pool.ts';
import { Share } from './share.ts';
import { createTypes } from './types.ts';

/** PostgreSQL only. */
export interface PostgresAccess {
  /** One statement without Kysely, where planning would cost more than the work: `name` prepares it. */
  query<Row extends QueryResultRow>(statement: PostgresStatement): Promise<readonly Row[]>;
  /** A dedicated connection for `listen`, which the caller ends. */
  connect(): Promise<Client>;
}

interface Postgres extends PostgresAccess {
  readonly dialect: Dialect;
  /** Over a part of the connections, so that long reads leave others to writes. */
  readDialect(connectionsMax: number): Dialect;
  /** `host:port/name`, for messages. */
  readonly label: string;
  isUp(): boolean;
  stats(): { readonly commits: number; readonly waiting: number };
  close(): Promise<void>;
}

export interface PostgresLimits {
  readonly connectionsMax: number;
  /** Waiting callers beyond which further ones are refused. */
  readonly waitingMax: number;
  /** Longest wait for a connection. */
  readonly waitTimeMaxMs: number;
  /** 0: no limit. */
  readonly statementTimeMaxMs: number;
  /** Idle time after which the server ends a transaction's session. */
  readonly transactionIdleMaxMs: number;
}

export const defaultPostgresLimits: PostgresLimits = {
  connectionsMax: 10,
  waitingMax: 10_000,
  waitTimeMaxMs: 5_000,
  statementTimeMaxMs: 10_000,
  transactionIdleMaxMs: 30_000,
};

/** A frozen server does not apply its own time limit, so the client gives up this much later. */
const answerGraceMs = 2_000;

/** Opens a pool, which connects on demand. Rejects with a one-line Error for an unusable url. */
export async function openPostgres(url: string, limits: PostgresLimits): Promise<Postgres> {
  const address = parseAddress(url);
  // Not loaded with SQLite.
  const pg = await import('pg');
  const config: ClientConfig = {
    application_name: 'nestor',
    // In `pg` the url wins: another name, another time limit.
    connectionString: address.connectionString,
    connectionTimeoutMillis: limits.waitTimeMaxMs,
    idle_in_transaction_session_timeout: limits.transactionIdleMaxMs,
    keepAlive: true,
    types: createTypes(pg.types),
    ...(limits.statementTimeMaxMs > 0 && {
      statement_timeout: limits.statementTimeMaxMs,
      query_timeout: limits.statementTimeMaxMs + answerGraceMs,
    }),
  };
  checkConfig(() => new pg.Client(config));
  const pool = new ConnectionPool({
    // One connection stays open to notice the end of the server.
    openPool: () => new pg.Pool({ ...config, max: limits.connectionsMax, min: 1, allowExitOnIdle: true }),
    openClient: () => new pg.Client(config),
    waitingMax: limits.waitingMax,
  });
  let commits = 0;
  const onCommit = () => commits++;
  return {
    dialect: createPostgresDialect(pool, onCommit),
    readDialect: (connectionsMax) =>
      createPostgresDialect(new Share(pool, { ...limits, connectionsMax }), onCommit),
    label: address.label,
    isUp: () => pool.isUp,
    stats: () => ({ commits, waiting: pool.outstanding }),
    async query<Row extends QueryResultRow>(statement: PostgresStatement) {
      const lease = await pool.lease();
      try {
        return (await lease.query(statement)).rows as Row[];
      } finally {
        lease.release();
      }
    },
    connect: () => pool.connectAlone(),
    close: () => pool.close(),
  };
}

/** Checks at the start what `pg` reads at each connection: url and certificate files. */
function checkConfig(create: () => Client): void {
  try {
    create();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'malformed';
    // oxlint-disable-next-line eslint/preserve-caught-error -- it may have the url
    throw new Error(
      `database: the postgres address cannot be used (${code}); see sslcert, sslkey, sslrootcert`,
    );
  }
}
