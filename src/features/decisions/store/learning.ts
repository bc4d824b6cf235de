import type { Kysely } from 'kysely';

import type { Schema } from '../../../kernel/store/schema.ts';
import { storeOf } from '../../../kernel/store/store.ts';

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

/**
 * Runs `body` alone among changes of what deciders of an account learn. Null without the decider. It waits for the rows of
 * the deciders and has no snapshot of before: a serializable transaction that counts bytes lost thirty times in a row against
 * others of its account.
 */
export function withDecider<Result>(
  db: Kysely<Schema>,
  { accountId, decider }: OfDecider,
  body: (transaction: Kysely<Schema>) => Promise<Result>,
): Promise<Result | null> {
  return db.transaction().execute(async (transaction) => {
    const all = transaction
      .selectFrom('deciders')
      .select('name')
      .where('account_id', '=', accountId)
      .orderBy('name');
    const known = await (storeOf(db) === 'postgres' ? all.forUpdate() : all).execute();
    return known.some(({ name }) => name === decider) ? body(transaction) : null;
  });
}
