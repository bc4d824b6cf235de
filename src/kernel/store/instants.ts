import type { Kysely } from 'kysely';

import type { Schema } from './schema.ts';

/** `probed`: the store was tried. `maintained`: what is old was looked for. */
type InstantName = 'probed' | 'maintained';

/** Instants that the processes on a store leave for themselves and for those that come later. */
interface Instants {
  get(name: InstantName): Promise<number | null>;
  set(name: InstantName, atMs: number): Promise<void>;
}

/** `reader` is for single instants; see `Database`. */
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
