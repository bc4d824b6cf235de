import type { Kysely } from 'kysely';

import type { Schema } from './schema.ts';

export interface ServerProcess {
  readonly id: string;
  readonly startedAtMs: number;
  readonly seenAtMs: number;
}

export type Processes = ReturnType<typeof createProcesses>;

/** Server processes on a store, by their heartbeats. */
export function createProcesses(db: Kysely<Schema>) {
  return {
    async beat({ id, startedAtMs, seenAtMs }: ServerProcess): Promise<void> {
      await db
        .insertInto('processes')
        .values({ id, started_at_ms: startedAtMs, seen_at_ms: seenAtMs })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at_ms: seenAtMs }))
        .execute();
    },

    /** Processes seen since then, oldest first. */
    async list(sinceMs: number): Promise<readonly ServerProcess[]> {
      const rows = await db
        .selectFrom('processes')
        .selectAll()
        .where('seen_at_ms', '>=', sinceMs)
        .orderBy('started_at_ms')
        .orderBy('id')
        .execute();
      return rows.map((row) => ({ id: row.id, startedAtMs: row.started_at_ms, seenAtMs: row.seen_at_ms }));
    },

    /** Removes a process that ends. */
    async leave(id: string): Promise<void> {
      await db.deleteFrom('processes').where('id', '=', id).execute();
    },

    /** Removes processes not seen since then. */
    async forget(sinceMs: number): Promise<number> {
      const { numDeletedRows } = await db
        .deleteFrom('processes')
        .where('seen_at_ms', '<', sinceMs)
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}
