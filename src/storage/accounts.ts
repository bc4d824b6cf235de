import type { Kysely, Selectable } from 'kysely';

import type { AccountsTable, Schema } from './schema.ts';

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
  readonly creditsPurchasedUsd: number;
}

export interface Accounts {
  /** Creates the account, or renames it and raises its credits; credits never fall, nor does `createdAtMs` move. */
  ensure(account: Account): Promise<Account>;
  get(id: string): Promise<Account | undefined>;
}

export function createAccounts(db: Kysely<Schema>): Accounts {
  return {
    async ensure({ id, name, createdAtMs, creditsPurchasedUsd }) {
      const row = await db
        .insertInto('accounts')
        .values({ id, name, created_at_ms: createdAtMs, credits_purchased_usd: creditsPurchasedUsd })
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet((eb) => ({
            name: eb.ref('excluded.name'),
            // Scalar max() is SQLite's, greatest() is PostgreSQL's.
            credits_purchased_usd: eb
              .case()
              .when('excluded.credits_purchased_usd', '>', eb.ref('accounts.credits_purchased_usd'))
              .then(eb.ref('excluded.credits_purchased_usd'))
              .else(eb.ref('accounts.credits_purchased_usd'))
              .end(),
          })),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      return toAccount(row);
    },

    async get(id) {
      const row = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
      return row && toAccount(row);
    },
  };
}

function toAccount(row: Selectable<AccountsTable>): Account {
  return {
    id: row.id,
    name: row.name,
    createdAtMs: row.created_at_ms,
    creditsPurchasedUsd: row.credits_purchased_usd,
  };
}
