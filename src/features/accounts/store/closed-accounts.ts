import type { Kysely } from 'kysely';

import type { Schema } from '../../../kernel/store/schema.ts';

export type ClosedAccounts = ReturnType<typeof createClosedAccounts>;

/**
 * Accounts that are being deleted: open, then closed (no key works, nobody sees it), then emptied (nothing is left), then gone. One
 * that was emptied stays for a while, in which what requests leave that were under way is still found.
 */
export function createClosedAccounts(db: Kysely<Schema>) {
  const one = (id: string) => db.updateTable('accounts').where('id', '=', id);
  return {
    /** Of one that is closed already, its ledger may be asked for besides. Undefined where there is none. */
    close: (id: string, nowMs: number, withLedger: boolean) =>
      one(id)
        .set((eb) => ({
          closed_at_ms: eb.fn.coalesce('closed_at_ms', eb.val(nowMs)),
          emptied_at_ms: null,
          ...(withLedger && { forgets_ledger: 1 }),
        }))
        .returning('forgets_ledger as forgetsLedger')
        .executeTakeFirst(),

    /** Undefined for one that is open or not there. */
    find: (id: string) => selectClosed(db).where('id', '=', id).executeTakeFirst(),

    list: () => selectClosed(db).orderBy('id').execute(),

    async emptied(id: string, nowMs: number): Promise<void> {
      await one(id)
        .set({ emptied_at_ms: nowMs })
        .where('closed_at_ms', 'is not', null)
        .where('emptied_at_ms', 'is', null)
        .execute();
    },

    /** The row itself, when no other names it any more. */
    async remove(id: string): Promise<void> {
      await db
        .deleteFrom('accounts')
        .where('id', '=', id)
        .where('closed_at_ms', 'is not', null)
        .where('emptied_at_ms', 'is not', null)
        .execute();
    },
  };
}

function selectClosed(db: Kysely<Schema>) {
  return db
    .selectFrom('accounts')
    .select([
      'id',
      'closed_at_ms as closedAtMs',
      'emptied_at_ms as emptiedAtMs',
      'forgets_ledger as forgetsLedger',
    ])
    .where('closed_at_ms', 'is not', null);
}
