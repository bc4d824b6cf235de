import type { Kysely } from 'kysely';

import type { Schema } from './schema.ts';

export interface ServerProcess {
  readonly id: string;
  readonly startedAtMs: number;
  readonly seenAtMs: number;
}

/** Server processes on a store, by their heartbeats. */
export interface Processes {
  beat(process: ServerProcess): Promise<void>;
  /** Processes seen since then, oldest first. */
  list(sinceMs: number): Promise<readonly ServerProcess[]>;
  /** Removes a process that ends. */
  leave(id: string): Promise<void>;
  /** Removes processes not seen since then. */
  forget(sinceMs: number): Promise<number>;
}

export function createProcesses(db: Kysely<Schema>): Processes {
  return {
    async beat({ id, startedAtMs, seenAtMs }) {
      await db
        .insertInto('processes')
        .values({ id, started_at_ms: startedAtMs, seen_at_ms: seenAtMs })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at_ms: seenAtMs }))
        .execute();
    },

    async list(sinceMs) {
      const rows = await db
        .selectFrom('processes')
        .selectAll()
        .where('seen_at_ms', '>=', sinceMs)
        .orderBy('started_at_ms')
        .orderBy('id')
        .execute();
      return rows.map((row) => ({ id: row.id, startedAtMs: row.started_at_ms, seenAtMs: row.seen_at_ms }));
    },

    async leave(id) {
      await db.deleteFrom('processes').where('id', '=', id).execute();
    },

    async forget(sinceMs) {
      const { numDeletedRows } = await db
        .deleteFrom('processes')
        .where('seen_at_ms', '<', sinceMs)
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}
