import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What is shared by account: turns of jobs. */
export const shares: Migration = {
  async up(db: Kysely<unknown>) {
    // Finds the accounts that have open jobs, and the first of each, without reading all that wait.
    await sql`create index jobs_turns on jobs (account_id, ordinal)
      where status in ('CREATED', 'IN_PROGRESS')`.execute(db);
    // What an owner runs, by account.
    await sql`create index jobs_held on jobs (lease_owner, account_id)
      where status = 'IN_PROGRESS'`.execute(db);
  },
};
