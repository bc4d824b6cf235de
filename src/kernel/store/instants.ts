import type { Kysely } from 'kysely';

import type { Schema } from './schema.ts';

/** `probed`: last store probe. `maintained`: last check for old rows. */
type InstantName = 'probed' | 'maintained';

/** Instants that processes leave for themselves and later ones. */
export function createInstants(db: Kysely<Schema>, reader = db) {
  return {
    async get(name: InstantName): Promise<number | null> {
      const row = await reader
        .selectFrom('instants')
        .select('at_ms')
        .where('name', '=', name)
        .executeTakeFirst();
      return row?.at_ms ?? null;
    },

    async set(name: InstantName, atMs: number): Promise<void> {
      await db
        .insertInto('instants')
        .values({ name, at_ms: atMs })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ at_ms: atMs }))
        .execute();
    },
  };
}
