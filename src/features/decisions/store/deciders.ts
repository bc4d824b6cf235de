import type { Kysely, Selection } from 'kysely';

import { changesOne } from '../../../kernel/store/changed-rows.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import type { FitState } from './fits.ts';
import { aloneAmongDeciders, dropLearning } from './learning.ts';

const columns = [
  'name',
  'definition',
  'revision',
  'created_at_ms as createdAtMs',
  'updated_at_ms as updatedAtMs',
] as const;
/**
 * `definition` is JSON; `revision` changes with every write and is never used again. `fitId` is that of the fit in use; null
 * where nothing was learned.
 */
export type DeciderRow = Readonly<Selection<Schema, 'deciders', (typeof columns)[number]>> & {
  readonly fitId: string | null;
};

export type DeciderStore = ReturnType<typeof createDeciderStore>;

/** `reader` is for everything that only reads; see `Database`. */
export function createDeciderStore(db: Kysely<Schema>, reader = db) {
  const of = (connection: Kysely<Schema>, accountId: string) =>
    connection
      .selectFrom('deciders')
      .select(columns)
      .select((eb) =>
        eb
          .selectFrom('decider_fits as fit')
          .select('fit.id')
          .whereRef('fit.account_id', '=', 'deciders.account_id')
          .whereRef('fit.decider', '=', 'deciders.name')
          .where('fit.state', '=', 'taken' satisfies FitState)
          .orderBy('fit.ordinal', 'desc')
          .limit(1)
          .as('fitId'),
      )
      .where('account_id', '=', accountId);
  const list = (accountId: string, connection = reader): Promise<DeciderRow[]> =>
    of(connection, accountId).orderBy('name').execute();
  return {
    /** By name. */
    list: (accountId: string): Promise<DeciderRow[]> => list(accountId),

    find: (accountId: string, name: string): Promise<DeciderRow | undefined> =>
      of(reader, accountId).where('name', '=', name).executeTakeFirst(),

    /**
     * Writes one, unless `check` throws for all that would be there then. Check and write are one step, so two changes
     * at once cannot end in what neither may.
     */
    put: (
      accountId: string,
      { name, definition, revision, updatedAtMs }: Omit<DeciderRow, 'createdAtMs' | 'fitId'>,
      check: (all: readonly DeciderRow[]) => void,
    ): Promise<DeciderRow> =>
      aloneAmongDeciders(db, accountId, async (transaction) => {
        const known = await list(accountId, transaction);
        const own = known.find((row) => row.name === name);
        const createdAtMs = own?.createdAtMs ?? updatedAtMs;
        const row = { name, definition, revision, createdAtMs, updatedAtMs, fitId: own?.fitId ?? null };
        check([...known.filter((other) => other.name !== name), row]);
        const changed = { definition, revision, updated_at_ms: updatedAtMs };
        await transaction
          .insertInto('deciders')
          .values({ ...changed, account_id: accountId, name, created_at_ms: createdAtMs })
          .onConflict((conflict) => conflict.columns(['account_id', 'name']).doUpdateSet(changed))
          .execute();
        return row;
      }),

    /** With all that it learned, and from what. False where there is none, or `check` throws for those that would be left. */
    remove: (
      accountId: string,
      name: string,
      check: (left: readonly DeciderRow[]) => void,
    ): Promise<boolean> =>
      aloneAmongDeciders(db, accountId, async (transaction) => {
        const known = await list(accountId, transaction);
        const left = known.filter((row) => row.name !== name);
        if (left.length < known.length) check(left);
        await dropLearning(transaction, accountId, name);
        return changesOne(
          transaction.deleteFrom('deciders').where('account_id', '=', accountId).where('name', '=', name),
        );
      }),
  };
}
