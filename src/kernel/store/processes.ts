import type { Kysely } from 'kysely';

import type { Schema } from './schema.ts';
import { changedRows } from './changed-rows.ts';

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
    list: (sinceMs: number): Promise<readonly ServerProcess[]> =>
      db
        .selectFrom('processes')
        .select(['id', 'started_at_ms as startedAtMs', 'seen_at_ms as seenAtMs'])
        .where('seen_at_ms', '>=', sinceMs)
        .orderBy('started_at_ms')
        .orderBy('id')
        .execute(),

    /** Removes a process that ends. */
    async leave(id: string): Promise<void> {
      await db.deleteFrom('processes').where('id', '=', id).execute();
    },

    /** Removes processes not seen since then. */
    forget: (sinceMs: number): Promise<number> =>
      changedRows(db.deleteFrom('processes').where('seen_at_ms', '<', sinceMs)),
  };
}
