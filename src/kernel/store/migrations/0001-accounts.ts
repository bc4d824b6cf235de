import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Accounts and the hashes of their keys. */
export const accounts: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('accounts')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
      // PostgreSQL's `real` has 24 bits; SQLite's has 53 under either name.
      .addColumn('credits_purchased_usd', 'double precision', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('keys')
      .addColumn('hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('name', 'text')
      .addColumn('last4', 'text', (column) => column.notNull())
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('revoked_at_ms', 'bigint')
      // The last guard against a plain key in the file.
      .addCheckConstraint('keys_hash', sql`length(hash) = 64`)
      .addCheckConstraint('keys_kind', sql`kind in ('root', 'token')`)
      .execute();
    await db.schema.createIndex('keys_account_id').on('keys').column('account_id').execute();
  },
};
