import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { recountStorage } from '../account-storage.ts';
import { createStorageTriggers } from '../storage-triggers.ts';
import { storedTables } from '../stored-tables.ts';
import { required, textKey } from '../table-columns.ts';

/** Those of this step; a table that comes later brings its triggers in a step of its own. */
const names = new Set([
  'responses',
  'response_events',
  'response_items',
  'response_files',
  'jobs',
  'skill_revisions',
]);
const tables = storedTables.filter(({ table }) => names.has(table));

/** What is shared by account: turns of jobs, and what the store keeps for each. */
export const shares: Migration = {
  async up(db: Kysely<unknown>) {
    // Finds the accounts that have open jobs, and the first of each, without reading all that wait.
    await sql`create index jobs_turns on jobs (account_id, ordinal)
      where status in ('CREATED', 'IN_PROGRESS')`.execute(db);
    // What an owner runs, by account.
    await sql`create index jobs_held on jobs (lease_owner, account_id)
      where status = 'IN_PROGRESS'`.execute(db);
    await db.schema
      .createTable('account_storage')
      .$call(textKey('account_id'))
      .$call(required('bigint', 'bytes'))
      .execute();
    await createStorageTriggers(db, tables);
    // What was there before.
    await recountStorage(db, tables);
  },
};
