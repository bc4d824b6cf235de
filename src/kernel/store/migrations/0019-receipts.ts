import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { createStorageTriggers } from '../storage-triggers.ts';
import { storedTables } from '../stored-tables.ts';
import { createIndex, ordinalKey, required } from '../table-columns.ts';

/** Proofs of verified answers. */
export const receipts: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('receipts')
      .$call(ordinalKey(db, 'ordinal'))
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .$call(required('text', 'account_id', 'receipt'))
      .$call(required('bigint', 'created_at_ms', 'expires_at_ms'))
      .execute();
    await createIndex(db, 'receipts_account', 'receipts', ['account_id', 'ordinal']);
    await createIndex(db, 'receipts_expires', 'receipts', ['expires_at_ms']);
    await createStorageTriggers(
      db,
      storedTables.filter(({ table }) => table === 'receipts'),
    );
  },
};
