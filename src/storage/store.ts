import { PostgresAdapter, type Kysely } from 'kysely';

export type Store = 'sqlite' | 'postgres';

/** For the few places where one statement cannot serve both stores. */
export function storeOf<T>(db: Kysely<T>): Store {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}
