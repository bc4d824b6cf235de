import type { Kysely } from 'kysely';

import type { Schema } from '../../../kernel/store/schema.ts';

/** A decider by its name and whose it is. */
export interface OfDecider {
  readonly accountId: string;
  readonly decider: string;
}

/** Examples and fits of a decider, which end with it. */
export async function dropLearning(db: Kysely<Schema>, accountId: string, decider: string): Promise<void> {
  for (const table of ['decider_examples', 'decider_fits'] as const)
    await db.deleteFrom(table).where('account_id', '=', accountId).where('decider', '=', decider).execute();
}

/** Whether there is one: what belongs to a decider is written in one step with the look at it. */
export async function hasDecider(db: Kysely<Schema>, accountId: string, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('deciders')
    .select('name')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row !== undefined;
}
