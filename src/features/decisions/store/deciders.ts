import type { Kysely, Selection } from 'kysely';

import { changesOne } from '../../../kernel/store/changed-rows.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { transact } from '../../../kernel/store/transact.ts';

const columns = [
  'name',
  'definition',
  'revision',
  'created_at_ms as createdAtMs',
  'updated_at_ms as updatedAtMs',
] as const;
/** `definition` is JSON; `revision` changes with every write and is never used again. */
export type DeciderRow = Readonly<Selection<Schema, 'deciders', (typeof columns)[number]>>;

export type DeciderStore = ReturnType<typeof createDeciderStore>;

/** `reader` is for everything that only reads; see `Database`. */
export function createDeciderStore(db: Kysely<Schema>, reader = db) {
  const of = (connection: Kysely<Schema>, accountId: string) =>
    connection.selectFrom('deciders').select(columns).where('account_id', '=', accountId);
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
      { name, definition, revision, updatedAtMs }: Omit<DeciderRow, 'createdAtMs'>,
      check: (all: readonly DeciderRow[]) => void,
    ): Promise<DeciderRow> =>
      transact(db, async (transaction) => {
        const known = await list(accountId, transaction);
        const createdAtMs = known.find((row) => row.name === name)?.createdAtMs ?? updatedAtMs;
        const row = { name, definition, revision, createdAtMs, updatedAtMs };
        check([...known.filter((other) => other.name !== name), row]);
        const changed = { definition, revision, updated_at_ms: updatedAtMs };
        await transaction
          .insertInto('deciders')
          .values({ ...changed, account_id: accountId, name, created_at_ms: createdAtMs })
          .onConflict((conflict) => conflict.columns(['account_id', 'name']).doUpdateSet(changed))
          .execute();
        return row;
      }),

    /** False where there is none, or `check` throws for those that would be left. */
    remove: (
      accountId: string,
      name: string,
      check: (left: readonly DeciderRow[]) => void,
    ): Promise<boolean> =>
      transact(db, async (transaction) => {
        const known = await list(accountId, transaction);
        const left = known.filter((row) => row.name !== name);
        if (left.length < known.length) check(left);
        return changesOne(
          transaction.deleteFrom('deciders').where('account_id', '=', accountId).where('name', '=', name),
        );
      }),
  };
}
