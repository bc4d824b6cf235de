import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { createStorageTriggers } from '../storage-triggers.ts';
import { storedTables } from '../stored-tables.ts';
import { required } from '../table-columns.ts';

/** Deciders of accounts. */
export const deciders: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('deciders')
      .$call(required('text', 'account_id', 'name', 'definition', 'revision'))
      .$call(required('bigint', 'created_at_ms', 'updated_at_ms'))
      .addPrimaryKeyConstraint('deciders_key', ['account_id', 'name'])
      .execute();
    await createStorageTriggers(
      db,
      storedTables.filter(({ table }) => table === 'deciders'),
    );
  },
};
