import { sql, type Kysely, type Selectable } from 'kysely';

import { addCredits } from './accounts.ts';
import type { CreditPurchasesTable, Schema } from '../../../kernel/store/schema.ts';

export interface Purchase {
  /** Chosen by the caller: the same purchase sent twice counts once. */
  readonly id: string;
  readonly accountId: string;
  /** Above 0, at most a billion, in millionths of a dollar at the finest. */
  readonly amountUsd: number;
  readonly note: string;
  readonly createdAtMs: number;
}

export interface Purchases {
  /**
   * Books the purchase and raises the credits of its account, both or neither. `isNew` is false when a purchase of
   * this id was booked before, which stays as it is. Throws StatementError `foreign_key` without such an account.
   */
  add(purchase: Purchase): Promise<{ readonly isNew: boolean; readonly creditsPurchasedUsd: number }>;
  find(id: string): Promise<Purchase | undefined>;
  /** Of one account, oldest first, from after the one named. */
  list(accountId: string, page?: PurchasePage): Promise<readonly Purchase[]>;
}

interface PurchasePage {
  readonly after?: Pick<Purchase, 'createdAtMs' | 'id'> | undefined;
  readonly limit?: number;
}

const amountMaxUsd = 1e9;
const pageDefault = 100;

/** `reader` is for lists; see `Database`. */
export function createPurchases(db: Kysely<Schema>, reader = db): Purchases {
  return {
    async add(purchase) {
      refuseAmount(purchase.amountUsd);
      const body = (transaction: Kysely<Schema>): ReturnType<Purchases['add']> => book(transaction, purchase);
      return db.isTransaction ? body(db) : db.transaction().execute(body);
    },

    async find(id) {
      const row = await db.selectFrom('credit_purchases').selectAll().where('id', '=', id).executeTakeFirst();
      return row && toPurchase(row);
    },

    async list(accountId, { after, limit = pageDefault } = {}) {
      let query = reader.selectFrom('credit_purchases').selectAll().where('account_id', '=', accountId);
      if (after !== undefined) {
        const { createdAtMs, id } = after;
        query = query.where((eb) => eb(eb.refTuple('created_at_ms', 'id'), '>', eb.tuple(createdAtMs, id)));
      }
      const rows = await query.orderBy('created_at_ms').orderBy('id').limit(limit).execute();
      return rows.map((row) => toPurchase(row));
    },
  };
}

async function book(
  db: Kysely<Schema>,
  { id, accountId, amountUsd, note, createdAtMs }: Purchase,
): ReturnType<Purchases['add']> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('credit_purchases')
    .values({ id, account_id: accountId, amount_usd: amountUsd, note, created_at_ms: createdAtMs })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow();
  const isNew = numInsertedOrUpdatedRows === 1n;
  const credits = isNew
    ? db
        .updateTable('accounts')
        .set({ credits_purchased_usd: addCredits(sql`${amountUsd}`) })
        .where('id', '=', accountId)
        .returning('credits_purchased_usd')
    : db
        .selectFrom('credit_purchases')
        .innerJoin('accounts', 'accounts.id', 'credit_purchases.account_id')
        .select('accounts.credits_purchased_usd')
        .where('credit_purchases.id', '=', id);
  const row = await credits.executeTakeFirstOrThrow();
  return { isNew, creditsPurchasedUsd: row.credits_purchased_usd };
}

function refuseAmount(amountUsd: number): void {
  if (amountUsd > 0 && amountUsd <= amountMaxUsd && Math.round(amountUsd * 1e6) >= 1) return;
  throw new RangeError('an amount is above 0 and at most a billion USD');
}

function toPurchase(row: Selectable<CreditPurchasesTable>): Purchase {
  return {
    id: row.id,
    accountId: row.account_id,
    amountUsd: row.amount_usd,
    note: row.note,
    createdAtMs: row.created_at_ms,
  };
}
