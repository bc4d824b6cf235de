import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Responses of the agent, the events of their streams, the items and files that they left. */
export const responses: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('responses')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('is_stored', 'integer', (column) => column.notNull())
      .addColumn('previous_id', 'text')
      .addColumn('input', 'text', (column) => column.notNull())
      .addColumn('response', 'text', (column) => column.notNull())
      .addColumn('last_sequence', 'integer')
      .addColumn('is_cancelled', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('lease_owner', 'text')
      .addColumn('lease_until_ms', 'bigint')
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('ended_at_ms', 'bigint')
      .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
      .addCheckConstraint(
        'responses_status',
        sql`status in ('in_progress', 'requires_action', 'completed', 'failed')
          and (ended_at_ms is null) = (status = 'in_progress')
          and (last_sequence is null) = (status = 'in_progress')`,
      )
      .execute();
    await db.schema.createIndex('responses_expiry').on('responses').column('expires_at_ms').execute();
    // Only what runs: the index stays as small as the number of runs.
    await sql`create index responses_open on responses (lease_owner) where status = 'in_progress'`.execute(
      db,
    );
    await db.schema
      .createTable('response_events')
      .addColumn('response_id', 'text', (column) =>
        column.notNull().references('responses.id').onDelete('cascade'),
      )
      .addColumn('first_sequence', 'integer', (column) => column.notNull())
      .addColumn('lines', 'text', (column) => column.notNull())
      .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('response_events_key', ['response_id', 'first_sequence'])
      .execute();
    await db.schema
      .createIndex('response_events_expiry')
      .on('response_events')
      .column('expires_at_ms')
      .execute();
    await createParts(db);
  },
};

async function createParts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('response_items')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('response_id', 'text', (column) =>
      column.notNull().references('responses.id').onDelete('cascade'),
    )
    .addColumn('item', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('response_items_response').on('response_items').column('response_id').execute();
  await db.schema
    .createTable('response_files')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('response_id', 'text', (column) =>
      column.notNull().references('responses.id').onDelete('cascade'),
    )
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('filename', 'text', (column) => column.notNull())
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('response_files_response').on('response_files').column('response_id').execute();
}
