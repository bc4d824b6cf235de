import type { Kysely } from 'kysely';

import type { Schema } from './schema.ts';

/** `probed`: last store probe. `maintained`: last check for old rows. */
type InstantName = 'probed' | 'maintained';

/** Instants that processes leave for themselves and later ones. */
interface Instants {
  get(name: InstantName): Promise<number | null>;
  set(name: InstantName, atMs: number): Promise<void>;
}

export function createInstants(db: Kysely<Schema>, reader = db): Instants {
  return {
    async get(name) {
      const row = await reader
        .selectFrom('instants')
        .select('at_ms')
        .where('name', '=', name)
        .executeTakeFirst();
      return row?.at_ms ?? null;
    },

    async set(name, atMs) {
      await db
        .insertInto('instants')
        .values({ name, at_ms: atMs })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ at_ms: atMs }))
        .execute();
    },
  };
}
