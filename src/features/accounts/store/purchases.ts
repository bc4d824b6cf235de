import { sql, type Kysely, type Selection } from 'kysely';

import { addCredits } from './accounts.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { changesOne } from '../../../kernel/store/changed-rows.ts';

const columns = [
  'id',
  'account_id as accountId',
  'amount_usd as amountUsd',
  'note',
  'created_at_ms as createdAtMs',
] as const;
/** Amounts are above 0 and at most a billion, in millionths of a dollar at the finest. */
export type Purchase = Readonly<Selection<Schema, 'credit_purchases', (typeof columns)[number]>>;

interface PurchasePage {
  readonly after?: Pick<Purchase, 'createdAtMs' | 'id'> | undefined;
  readonly limit?: number;
}

const amountMaxUsd = 1e9;
const pageDefault = 100;

/** `reader` is for lists; see `Database`. */
export function createPurchases(db: Kysely<Schema>, reader = db) {
  return {
    /**
     * Books the purchase and raises the credits of its account, both or neither. `isNew` is false when a purchase of
     * this id was booked before, which stays as it is. Throws StatementError `foreign_key` without such an account.
     */
    async add(purchase: Purchase): ReturnType<typeof book> {
      refuseAmount(purchase.amountUsd);
      if (db.isTransaction) return book(db, purchase);
      return db.transaction().execute((transaction) => book(transaction, purchase));
    },

    find: (id: string): Promise<Purchase | undefined> =>
      db.selectFrom('credit_purchases').select(columns).where('id', '=', id).executeTakeFirst(),

    /** Of one account, oldest first, from after the one named. */
    list(accountId: string, { after, limit = pageDefault }: PurchasePage = {}): Promise<Purchase[]> {
      let query = reader.selectFrom('credit_purchases').select(columns).where('account_id', '=', accountId);
      if (after !== undefined) {
        const { createdAtMs, id } = after;
        query = query.where((eb) => eb(eb.refTuple('created_at_ms', 'id'), '>', eb.tuple(createdAtMs, id)));
      }
      return query.orderBy('created_at_ms').orderBy('id').limit(limit).execute();
    },
  };
}

async function book(
  db: Kysely<Schema>,
  { id, accountId, amountUsd, note, createdAtMs }: Purchase,
): Promise<{ readonly isNew: boolean; readonly creditsPurchasedUsd: number }> {
  const insertion = db
    .insertInto('credit_purchases')
    .values({ id, account_id: accountId, amount_usd: amountUsd, note, created_at_ms: createdAtMs });
  const isNew = await changesOne(insertion.onConflict((conflict) => conflict.column('id').doNothing()));
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
