import type { Kysely } from 'kysely';

import type { Schema } from './schema.ts';

/**
 * A secret of this store, made at first use and the same for every process from then on. It signs what only this
 * store's servers read back, and opens nothing by itself. `fresh` is kept only when there was none.
 */
export async function ensureSecret(db: Kysely<Schema>, name: string, fresh: string): Promise<string> {
  await db
    .insertInto('secrets')
    .values({ name, value: fresh })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const row = await db
    .selectFrom('secrets')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return row.value;
}
