import { sql, type Kysely, type RawBuilder, type Selectable } from 'kysely';

import type { AccountsTable, Schema } from '../../../kernel/store/schema.ts';

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
  /** What the configuration granted plus what was purchased; decides the tier and never falls. */
  readonly creditsPurchasedUsd: number;
}

export interface Accounts {
  /**
   * What the configuration says: creates the account, or renames it and raises what it was granted to this
   * number. Neither grant nor credits ever fall, nor does `createdAtMs` move. Returns it with its purchases.
   */
  ensure(account: Account): Promise<Account>;
  /** True when it was new; an existing one stays as it is. */
  create(account: Omit<Account, 'creditsPurchasedUsd'>): Promise<boolean>;
  get(id: string): Promise<Account | undefined>;
  /** Credits of those that exist, by id. */
  creditsOf(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** In the order of their ids, from after the one named. */
  list(page?: {
    readonly afterId?: string | undefined;
    readonly limit?: number;
  }): Promise<readonly Account[]>;
  /** Undefined when there is no such account. */
  rename(id: string, name: string): Promise<Account | undefined>;
}

const pageDefault = 100;

/** `reader` is for lists and single accounts; see `Database`. */
export function createAccounts(db: Kysely<Schema>, reader = db): Accounts {
  return {
    async ensure({ id, name, createdAtMs, creditsPurchasedUsd }) {
      const granted = {
        credits_granted_usd: creditsPurchasedUsd,
        credits_purchased_usd: creditsPurchasedUsd,
      };
      const row = await db
        .insertInto('accounts')
        .values({ id, name, created_at_ms: createdAtMs, ...granted })
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
        .returningAll()
        .executeTakeFirstOrThrow();
      return toAccount(row);
    },

    async create({ id, name, createdAtMs }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('accounts')
        .values({ id, name, created_at_ms: createdAtMs })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    async get(id) {
      const row = await reader.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
      return row && toAccount(row);
    },

    creditsOf: (ids) => readCredits(db, ids),

    async list({ afterId, limit = pageDefault } = {}) {
      const all = reader.selectFrom('accounts').selectAll().orderBy('id').limit(limit);
      const rows = await (afterId === undefined ? all : all.where('id', '>', afterId)).execute();
      return rows.map((row) => toAccount(row));
    },

    async rename(id, name) {
      const row = await db
        .updateTable('accounts')
        .set({ name })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row && toAccount(row);
    },
  };
}

async function readCredits(db: Kysely<Schema>, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('accounts')
    .select(['id', 'credits_purchased_usd'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row.credits_purchased_usd]));
}

/**
 * Credits plus an amount, exact to a millionth of a dollar: 500 purchases of 0.1 are 50 and reach tier 1, which
 * the plain sum of doubles misses.
 */
export function addCredits(amount: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`round((accounts.credits_purchased_usd + (${amount})) * 1000000) / 1000000`;
}

/** Scalar max() is SQLite's, greatest() is PostgreSQL's. */
function whenRaised(raised: RawBuilder<unknown>, otherwise: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`case when excluded.credits_granted_usd > accounts.credits_granted_usd
    then ${raised} else ${otherwise} end`;
}

function toAccount(row: Selectable<AccountsTable>): Account {
  return {
    id: row.id,
    name: row.name,
    createdAtMs: row.created_at_ms,
    creditsPurchasedUsd: row.credits_purchased_usd,
  };
}
