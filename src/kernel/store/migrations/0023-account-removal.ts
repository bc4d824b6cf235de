import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { createIndex } from '../table-columns.ts';

/** Accounts that are being deleted, and indexes by which what they leave is found. */
export const accountRemoval: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('accounts').addColumn('closed_at_ms', 'bigint').execute();
    await db.schema.alterTable('accounts').addColumn('emptied_at_ms', 'bigint').execute();
    await db.schema
      .alterTable('accounts')
      .addColumn('forgets_ledger', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    // Looked at again and again, and nearly always empty.
    await sql`create index accounts_closed on accounts (closed_at_ms) where closed_at_ms is not null`.execute(
      db,
    );
    await createIndex(db, 'responses_account', 'responses', ['account_id']);
    await createIndex(db, 'conversations_account', 'conversations', ['account_id']);
  },
};
