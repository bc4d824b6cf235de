import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Jobs that wait for their backend, and jobs that are queued once more. */
export const jobWaits: Migration = {
  async up(db: Kysely<unknown>) {
    // One column at a time: SQLite takes no more.
    await db.schema
      .alterTable('jobs')
      .addColumn('waits', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    // Null until it is queued once more: then it is as old as its creation.
    await db.schema.alterTable('jobs').addColumn('queued_at_ms', 'bigint').execute();
  },
};
