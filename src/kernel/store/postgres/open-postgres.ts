import type { Dialect } from 'kysely';
import type { Client, ClientConfig, QueryResultRow } from 'pg';

import { parseAddress } from './address.ts';
import { createPostgresDialect } from './dialect.ts';
import type { PostgresStatement } from './lease.ts';
import { ConnectionPool } from './pool.ts';
import { Share } from './share.ts';
import { createTypes } from './types.ts';

/** What SQLite does not have; null on a Database that is not PostgreSQL. */
export interface PostgresAccess {
  /** One statement beside Kysely, for those whose planning would cost more than their work: `name` prepares it. */
  query<Row extends QueryResultRow>(statement: PostgresStatement): Promise<readonly Row[]>;
  /** A connection of its own, connected, for `listen`. The caller ends it. */
  connect(): Promise<Client>;
}

interface Postgres extends PostgresAccess {
  readonly dialect: Dialect;
  /** Over a part of the connections, so that long reads leave the others to writes. */
  readDialect(connectionsMax: number): Dialect;
  /** `host:port/name`, for messages. */
  readonly label: string;
  isUp(): boolean;
  stats(): { readonly commits: number; readonly waiting: number };
  close(): Promise<void>;
}

export interface PostgresLimits {
  readonly connectionsMax: number;
  /** Callers that may wait for a connection before further ones are refused. */
  readonly waitingMax: number;
  /** How long a caller waits for a connection, new or used. */
  readonly waitTimeMaxMs: number;
  /** 0: no limit. */
  readonly statementTimeMaxMs: number;
  /** How long a transaction may do nothing before the server ends its session. */
  readonly transactionIdleMaxMs: number;
}

export const defaultPostgresLimits: PostgresLimits = {
  connectionsMax: 10,
  waitingMax: 10_000,
  waitTimeMaxMs: 5_000,
  statementTimeMaxMs: 10_000,
  transactionIdleMaxMs: 30_000,
};

/** A server that froze keeps its own time limit from working; then this side gives up, so much later. */
const answerGraceMs = 2_000;

/** Opens a pool; connects when first asked. Rejects with an Error of one line when the url cannot be used. */
export async function openPostgres(url: string, limits: PostgresLimits): Promise<Postgres> {
  const address = parseAddress(url);
  // Imported here, so that it is not loaded with SQLite.
  const pg = await import('pg');
  const config: ClientConfig = {
    application_name: 'nestor',
    // The url comes last in `pg`, so what it says wins: another name, another time limit.
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
    // One connection stays, so that the end of the server is noticed also when nobody asks.
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

/** `pg` reads the url and the files of certificates when a client is made, which should not be at the first request. */
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
