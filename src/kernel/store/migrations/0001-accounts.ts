import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { createIndex, optional, required, textKey } from '../table-columns.ts';

/** Accounts and the hashes of their keys. */
export const accounts: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('accounts')
      .$call(textKey('id'))
      .$call(required('text', 'name'))
      .$call(required('bigint', 'created_at_ms'))
      // PostgreSQL's `real` has 24 bits; SQLite's has 53 under either name.
      .addColumn('credits_purchased_usd', 'double precision', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('keys')
      .$call(textKey('hash'))
      .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
      .$call(required('text', 'kind'))
      .$call(optional('text', 'name'))
      .$call(required('text', 'last4'))
      .$call(required('bigint', 'created_at_ms'))
      .$call(optional('bigint', 'revoked_at_ms'))
      // The last guard against a plain key in the file.
      .addCheckConstraint('keys_hash', sql`length(hash) = 64`)
      .addCheckConstraint('keys_kind', sql`kind in ('root', 'token')`)
      .execute();
    await createIndex(db, 'keys_account_id', 'keys', ['account_id']);
  },
};
