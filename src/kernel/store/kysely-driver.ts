import type {
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  Driver,
  QueryResult,
  TransactionSettings,
} from 'kysely';

/** A connection of either store; Kysely's driver only forwards to it. */
export abstract class StoreConnection implements DatabaseConnection {
  abstract executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>>;
  abstract begin(settings: TransactionSettings): Promise<void>;
  abstract commit(): Promise<void>;
  abstract rollback(): Promise<void>;
  async release(): Promise<void> {}

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('this store does not stream; read in pages');
  }
}

export function createDialect(
  parts: Omit<Dialect, 'createDriver'>,
  acquireConnection: () => Promise<StoreConnection>,
): Dialect {
  const driver: Driver = {
    async init() {},
    acquireConnection,
    beginTransaction: (connection, settings) => toOurs(connection).begin(settings),
    commitTransaction: (connection) => toOurs(connection).commit(),
    rollbackTransaction: (connection) => toOurs(connection).rollback(),
    releaseConnection: (connection) => toOurs(connection).release(),
    // The store is closed by its opener.
    async destroy() {},
  };
  return { ...parts, createDriver: () => driver };
}

function toOurs(connection: DatabaseConnection): StoreConnection {
  if (connection instanceof StoreConnection) return connection;
  throw new TypeError('a connection of another driver');
}
