import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Jobs that wait for their backend, and jobs that are queued again. */
export const jobWaits: Migration = {
  async up(db: Kysely<unknown>) {
    // One column per statement, as SQLite requires.
    await db.schema
      .alterTable('jobs')
      .addColumn('waits', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    // Null until it is queued again; `created_at_ms` counts until then.
    await db.schema.alterTable('jobs').addColumn('queued_at_ms', 'bigint').execute();
  },
};
