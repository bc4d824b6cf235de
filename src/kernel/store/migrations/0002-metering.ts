import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { storeOf } from '../store.ts';

/** Purchases, the ledger of usage, when a key was last used, the processes, and buckets that several share. */
export const metering: Migration = {
  async up(db: Kysely<unknown>) {
    await alterAccounts(db);
    await createPurchases(db);
    await createUsage(db);
    await db.schema
      .createTable('processes')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('started_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('seen_at_ms', 'bigint', (column) => column.notNull())
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
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('amount_usd', 'double precision', (column) => column.notNull())
    .addColumn('note', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addCheckConstraint('credit_purchases_amount', sql`amount_usd > 0`)
    .execute();
  await db.schema
    .createIndex('credit_purchases_account_id')
    .on('credit_purchases')
    .columns(['account_id', 'created_at_ms'])
    .execute();
}

/** No foreign key to the account: a row that was spilled to disk is taken whatever happened meanwhile. */
async function createUsage(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('operation', 'text', (column) => column.notNull())
    .addColumn('model', 'text')
    .addColumn('input_tokens', 'bigint', (column) => column.notNull())
    .addColumn('output_tokens', 'bigint', (column) => column.notNull())
    .addColumn('other_units', 'text')
    .addColumn('cost_usd', 'double precision', (column) => column.notNull())
    .addColumn('cost_parts', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('status', 'integer', (column) => column.notNull())
    .addColumn('duration_ms', 'double precision', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('usage_account_id')
    .on('usage')
    .columns(['account_id', 'created_at_ms'])
    .execute();
  await db.schema.createIndex('usage_created_at_ms').on('usage').column('created_at_ms').execute();
}

/** Unlogged: written without the journal, so a crash of the server empties it, and every bucket is full again. */
async function createBuckets(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('buckets')
    .modifyFront(sql`unlogged`)
    .addColumn('key', 'text', (column) => column.primaryKey().notNull())
    .addColumn('missing', 'double precision', (column) => column.notNull())
    .addColumn('at_ms', 'double precision', (column) => column.notNull())
    // Room for the next version of a row in its page: such an update touches no index.
    .modifyEnd(sql`with (fillfactor = 50)`)
    .execute();
}
