import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { storeOf } from '../store.ts';
import { createIndex, optional, required, textKey } from '../table-columns.ts';

/** Purchases, the ledger of usage, last use of keys, server processes, and shared rate-limit buckets. */
export const metering: Migration = {
  async up(db: Kysely<unknown>) {
    await alterAccounts(db);
    await createPurchases(db);
    await createUsage(db);
    await db.schema
      .createTable('processes')
      .$call(textKey('id'))
      .$call(required('bigint', 'started_at_ms', 'seen_at_ms'))
      .execute();
    if (storeOf(db) === 'postgres') await createBuckets(db);
  },
};

async function alterAccounts(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('keys').addColumn('last_used_at_ms', 'bigint').execute();
  await db.schema
    .alterTable('accounts')
    .addColumn('credits_granted_usd', 'double precision', (column) => column.notNull().defaultTo(0))
    .execute();
  // Until now the configuration was the only source.
  await sql`update accounts set credits_granted_usd = credits_purchased_usd`.execute(db);
}

async function createPurchases(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('credit_purchases')
    .$call(textKey('id'))
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .$call(required('double precision', 'amount_usd'))
    .$call(required('text', 'note'))
    .$call(required('bigint', 'created_at_ms'))
    .addCheckConstraint('credit_purchases_amount', sql`amount_usd > 0`)
    .execute();
  await createIndex(db, 'credit_purchases_account_id', 'credit_purchases', ['account_id', 'created_at_ms']);
}

/** No foreign key to the account: rows of the journal are accepted even if the account has gone. */
async function createUsage(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage')
    .$call(textKey('id'))
    .$call(required('text', 'account_id', 'key_id', 'operation'))
    .$call(optional('text', 'model'))
    .$call(required('bigint', 'input_tokens', 'output_tokens'))
    .$call(optional('text', 'other_units'))
    .$call(required('double precision', 'cost_usd'))
    .$call(required('text', 'cost_parts', 'request_id'))
    .$call(required('integer', 'status'))
    .$call(required('double precision', 'duration_ms'))
    .$call(required('bigint', 'created_at_ms'))
    .execute();
  await createIndex(db, 'usage_account_id', 'usage', ['account_id', 'created_at_ms']);
  await createIndex(db, 'usage_created_at_ms', 'usage', ['created_at_ms']);
}

/** Unlogged: a crash of the database empties it, which makes every bucket full. */
async function createBuckets(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('buckets')
    .modifyFront(sql`unlogged`)
    .$call(textKey('key'))
    .$call(required('double precision', 'missing', 'at_ms'))
    // Leaves room in the page for the next version of a row, so that updates touch no index.
    .modifyEnd(sql`with (fillfactor = 50)`)
    .execute();
}
