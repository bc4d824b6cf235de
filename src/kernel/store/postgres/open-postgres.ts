import type { Client, ClientConfig, QueryResultRow } from 'pg';
import { errorCode } from '../../kit/errors.ts';

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

/** 0 is no limit. */
export type PostgresLimits = typeof defaultPostgresLimits;

export const defaultPostgresLimits = {
  connectionsMax: 10,
  /** Waiting callers beyond which further ones are refused. */
  waitingMax: 10_000,
  /** Longest wait for a connection. */
  waitTimeMaxMs: 5_000,
  statementTimeMaxMs: 10_000,
  /** Idle time after which the server ends a transaction's session. */
  transactionIdleMaxMs: 30_000,
};

/** A frozen server does not apply its own time limit, so the client gives up this much later. */
const answerGraceMs = 2_000;

/** Opens a pool, which connects on demand. Rejects with a one-line Error for an unusable url. */
export async function openPostgres(url: string, limits: PostgresLimits) {
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
  try {
    // Reads the url and the certificate files, which each connection will need.
    void new pg.Client(config);
  } catch (error) {
    const code = errorCode(error) ?? 'malformed';
    // oxlint-disable-next-line eslint/preserve-caught-error -- it may have the url
    throw new Error(
      `database: the postgres address cannot be used (${code}); see sslcert, sslkey, sslrootcert`,
    );
  }
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
    /** Over a part of the connections, so that long reads leave others to writes. */
    readDialect: (connectionsMax: number) =>
      createPostgresDialect(new Share(pool, { ...limits, connectionsMax }), onCommit),
    /** `host:port/name`, for messages. */
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
