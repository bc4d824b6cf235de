import { sql, type Kysely, type RawBuilder, type Selection } from 'kysely';

import type { Schema } from '../../../kernel/store/schema.ts';
import { changesOne } from '../../../kernel/store/changed-rows.ts';

const columns = [
  'id',
  'name',
  'created_at_ms as createdAtMs',
  'credits_purchased_usd as creditsPurchasedUsd',
] as const;
export type Account = Readonly<Selection<Schema, 'accounts', (typeof columns)[number]>>;

export type Accounts = ReturnType<typeof createAccounts>;

const pageDefault = 100;

/** `reader` is for lists and single accounts; see `Database`. */
export function createAccounts(db: Kysely<Schema>, reader = db) {
  return {
    /**
     * Applies the configuration: creates the account, or renames it and raises what it was granted to this
     * number. Neither grant nor credits ever fall, nor does `createdAtMs` move. Returns it with its purchases.
     */
    ensure: ({ id, name, createdAtMs, creditsPurchasedUsd: credits }: Account): Promise<Account> =>
      db
        .insertInto('accounts')
        .values({
          id,
          name,
          created_at_ms: createdAtMs,
          credits_granted_usd: credits,
          credits_purchased_usd: credits,
        })
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet((eb) => ({
            name: eb.ref('excluded.name'),
            credits_granted_usd: whenRaised(
              sql`excluded.credits_granted_usd`,
              sql`accounts.credits_granted_usd`,
            ),
            credits_purchased_usd: whenRaised(
              addCredits(sql`excluded.credits_granted_usd - accounts.credits_granted_usd`),
              sql`accounts.credits_purchased_usd`,
            ),
          })),
        )
        .returning(columns)
        .executeTakeFirstOrThrow(),

    /** True when it was new; an existing one stays as it is. */
    create({ id, name, createdAtMs }: Omit<Account, 'creditsPurchasedUsd'>): Promise<boolean> {
      const insertion = db.insertInto('accounts').values({ id, name, created_at_ms: createdAtMs });
      return changesOne(insertion.onConflict((conflict) => conflict.column('id').doNothing()));
    },

    get: (id: string): Promise<Account | undefined> =>
      selectOpen(reader).where('id', '=', id).executeTakeFirst(),

    /** Credits of those that exist, by id. */
    async creditsOf(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
      if (ids.length === 0) return new Map();
      const rows = await selectOpen(db).where('id', 'in', ids).execute();
      return new Map(rows.map(({ id, creditsPurchasedUsd }) => [id, creditsPurchasedUsd]));
    },

    /** In the order of their ids, from after the one named. */
    list({
      afterId,
      limit = pageDefault,
    }: { readonly afterId?: string | undefined; readonly limit?: number } = {}): Promise<Account[]> {
      const all = selectOpen(reader).orderBy('id').limit(limit);
      return (afterId === undefined ? all : all.where('id', '>', afterId)).execute();
    },

    /** Undefined when there is no such account. */
    rename: (id: string, name: string): Promise<Account | undefined> =>
      db
        .updateTable('accounts')
        .set({ name })
        .where('id', '=', id)
        .where('closed_at_ms', 'is', null)
        .returning(columns)
        .executeTakeFirst(),
  };
}

/** Closed ones are seen by `closed-accounts.ts` alone. */
function selectOpen(db: Kysely<Schema>) {
  return db.selectFrom('accounts').select(columns).where('closed_at_ms', 'is', null);
}

/**
 * Credits plus an amount, exact to a millionth of a dollar: 500 purchases of 0.1 are 50 and reach tier 1, which
 * the plain sum of doubles misses.
 */
export function addCredits(amount: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`round((accounts.credits_purchased_usd + (${amount})) * 1000000) / 1000000`;
}

function whenRaised(raised: RawBuilder<unknown>, otherwise: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`case when excluded.credits_granted_usd > accounts.credits_granted_usd
    then ${raised} else ${otherwise} end`;
}
