import { PostgresAdapter, sql, type Expression, type Kysely } from 'kysely';

export type Store = 'sqlite' | 'postgres';

/** For the few places where one statement cannot serve both stores. */
export function storeOf<T>(db: Kysely<T>): Store {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/** The store's clock, shared by all processes. Unit: ms. */
export function storeNow<T>(db: Kysely<T>): Expression<number> {
  return storeOf(db) === 'postgres'
    ? sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}
