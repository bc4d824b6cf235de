import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { recountStorage } from '../account-storage.ts';
import { createStorageTriggers } from '../storage-triggers.ts';
import { storedTables } from '../stored-tables.ts';
import { required, textKey } from '../table-columns.ts';

/** Tables with triggers as of this step; later tables add theirs in their own step. */
const names = new Set([
  'responses',
  'response_events',
  'response_items',
  'response_files',
  'jobs',
  'skill_revisions',
]);
const tables = storedTables.filter(({ table }) => names.has(table));

/** Fair shares by account: turns of jobs, and stored bytes. */
export const shares: Migration = {
  async up(db: Kysely<unknown>) {
    // Finds accounts with open jobs, and the first job of each, without reading the whole queue.
    await sql`create index jobs_turns on jobs (account_id, ordinal)
      where status in ('CREATED', 'IN_PROGRESS')`.execute(db);
    // Running jobs of an owner, by account.
    await sql`create index jobs_held on jobs (lease_owner, account_id)
      where status = 'IN_PROGRESS'`.execute(db);
    await db.schema
      .createTable('account_storage')
      .$call(textKey('account_id'))
      .$call(required('bigint', 'bytes'))
      .execute();
    await createStorageTriggers(db, tables);
    // Existing rows.
    await recountStorage(db, tables);
  },
};
