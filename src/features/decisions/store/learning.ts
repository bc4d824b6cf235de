import { sql, type Kysely } from 'kysely';

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

/** First half of the key of PostgreSQL's lock; the second is the account. */
const lockClass = 1_685_283_689;

/**
 * Runs `body` alone among changes of an account's deciders and of what they learn. It waits for a lock and has no snapshot
 * of before: a serializable transaction that counts bytes lost thirty times in a row against others of its account, and
 * locks of rows ended in a circle where a decider was removed while it was given examples.
 */
export function aloneAmongDeciders<Result>(
  db: Kysely<Schema>,
  accountId: string,
  body: (transaction: Kysely<Schema>) => Promise<Result>,
): Promise<Result> {
  const run = async (transaction: Kysely<Schema>): Promise<Result> => {
    if (storeOf(db) === 'postgres')
      await sql`select pg_advisory_xact_lock(${sql.lit(lockClass)}, hashtext(${accountId}))`.execute(transaction); // prettier-ignore
    return body(transaction);
  };
  return db.isTransaction ? run(db) : db.transaction().execute(run);
}

/** Like it, for a change of what one of them learns. Null without the decider. */
export function withDecider<Result>(
  db: Kysely<Schema>,
  { accountId, decider }: OfDecider,
  body: (transaction: Kysely<Schema>) => Promise<Result>,
): Promise<Result | null> {
  return aloneAmongDeciders(db, accountId, async (transaction) => {
    const known = await transaction
      .selectFrom('deciders')
      .select('name')
      .where('account_id', '=', accountId)
      .where('name', '=', decider)
      .executeTakeFirst();
    return known === undefined ? null : body(transaction);
  });
}
