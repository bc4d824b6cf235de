import type { Kysely } from 'kysely';

import type { Schema } from '../../../kernel/store/schema.ts';

/** Whose turn it is: sources that somebody reads now, and when the others are read next. */
export interface CorpusTurns {
  /** Ids of sources that some process is reading. */
  leased(nowMs: number): Promise<ReadonlySet<string>>;
  /** Null: no server reads it by itself. */
  setDue(id: string, dueAtMs: number | null): Promise<void>;
}

export function createCorpusTurns(db: Kysely<Schema>): CorpusTurns {
  return {
    async leased(nowMs) {
      const rows = await db
        .selectFrom('corpus_sources')
        .select('id')
        .where('lease_owner', 'is not', null)
        .where('lease_until_ms', '>=', nowMs)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
    async setDue(id, dueAtMs) {
      await db.updateTable('corpus_sources').set({ due_at_ms: dueAtMs }).where('id', '=', id).execute();
    },
  };
}
