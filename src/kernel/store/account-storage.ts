import { sql, type Kysely } from 'kysely';

import type { Schema } from './schema.ts';
import { storedTables, type StoredTable } from './stored-tables.ts';

export type AccountStorage = ReturnType<typeof createAccountStorage>;

/**
 * Storage used per account, counted by triggers in the transaction that changes a row. `reader`: for reads that need not
 * wait for writes.
 */
export function createAccountStorage(db: Kysely<Schema>, reader = db) {
  /** Unit: bytes. Accounts without data are absent. */
  async function bytesOfAll(accountIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (accountIds.length === 0) return new Map();
    const rows = await reader
      .selectFrom('account_storage')
      .select(['account_id', 'bytes'])
      .where('account_id', 'in', accountIds)
      .execute();
    return new Map(rows.map(({ account_id, bytes }) => [account_id, bytes]));
  }
  return {
    bytesOfAll,
    bytesOf: async (accountId: string): Promise<number> =>
      (await bytesOfAll([accountId])).get(accountId) ?? 0,
    /** Recounts and corrects. Resolves to the accounts whose count was wrong; there should be none. */
    recount: () => recountStorage(db, storedTables),
  };
}

/** One statement, so that nothing changes between count and correction. */
export async function recountStorage<DB>(
  db: Kysely<DB>,
  tables: readonly StoredTable[],
): Promise<readonly string[]> {
  const parts = tables.map(({ table, parent, bytesOf }) => {
    const owner = parent === null ? table : parent.table;
    const join =
      parent === null
        ? sql``
        : sql`join ${sql.table(parent.table)} on ${sql.ref(`${parent.table}.id`)} = ${sql.ref(`${table}.${parent.column}`)}`;
    return sql`select ${sql.ref(`${owner}.account_id`)} as account_id, ${bytesOf(table)} as bytes
      from ${sql.table(table)} ${join}`;
  });
  const { rows } = await sql<{ account_id: string }>`
    insert into account_storage (account_id, bytes)
    select counted.account_id, counted.bytes from (
      select ids.account_id, coalesce(sum(stored.bytes), 0) as bytes
      from (select account_id from account_storage union select account_id from (${sql.join(parts, sql` union all `)}) as any_row) as ids
      left join (${sql.join(parts, sql` union all `)}) as stored on stored.account_id = ids.account_id
      group by ids.account_id
    ) as counted
    where not exists (
      select 1 from account_storage as known
      where known.account_id = counted.account_id and known.bytes = counted.bytes
    )
    on conflict (account_id) do update set bytes = excluded.bytes
    returning account_id`.execute(db);
  return rows.map(({ account_id }) => account_id);
}
