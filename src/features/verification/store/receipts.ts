import type { Kysely } from 'kysely';
import { changedRows } from '../../../kernel/store/changed-rows.ts';
import { packText, unpackText } from '../../../kernel/store/packed-text.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import type { NewReceipt } from '../pending-receipts.ts';

export type ReceiptStore = ReturnType<typeof createReceiptStore>;

/** `reader` is for everything that only reads; see `Database`. */
export function createReceiptStore(db: Kysely<Schema>, reader = db) {
  return {
    /** Those that are known already are passed by. Of each account the newest stay. */
    async add(rows: readonly NewReceipt[], perAccountMax: number): Promise<void> {
      if (rows.length === 0) return;
      const packed = await Promise.all(
        rows.map(async ({ id, accountId, receipt, createdAtMs, expiresAtMs }) => ({
          id,
          account_id: accountId,
          receipt: await packText(receipt),
          created_at_ms: createdAtMs,
          expires_at_ms: expiresAtMs,
        })),
      );
      await db.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('receipts')
          .values(packed)
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
        for (const accountId of new Set(rows.map((row) => row.accountId))) {
          const last = await transaction
            .selectFrom('receipts')
            .select('ordinal')
            .where('account_id', '=', accountId)
            .orderBy('ordinal', 'desc')
            .offset(perAccountMax)
            .limit(1)
            .executeTakeFirst();
          if (last === undefined) continue;
          await transaction
            .deleteFrom('receipts')
            .where('account_id', '=', accountId)
            .where('ordinal', '<=', last.ordinal)
            .execute();
        }
      });
    },

    /** JSON; null for one that is unknown, foreign or past its time. */
    async find(accountId: string, id: string, nowMs: number): Promise<string | null> {
      const row = await reader
        .selectFrom('receipts')
        .select('receipt')
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .where('expires_at_ms', '>', nowMs)
        .executeTakeFirst();
      return row === undefined ? null : unpackText(row.receipt);
    },

    forget: (nowMs: number): Promise<number> =>
      changedRows(db.deleteFrom('receipts').where('expires_at_ms', '<=', nowMs)),
  };
}
