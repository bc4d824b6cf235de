import type { Kysely } from 'kysely';

import type { Schema } from './schema.ts';

/**
 * A secret of this store, the same for every process; `fresh` is stored where there is none yet. It signs what only
 * this store's servers read back.
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
