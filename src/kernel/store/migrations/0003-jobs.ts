import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { createIndex, optional, ordinalKey, required, textKey, zero } from '../table-columns.ts';

/** Asynchronous jobs, and secrets with which the processes of a store sign page tokens and links. */
export const jobs: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.createTable('secrets').$call(textKey('name')).$call(required('text', 'value')).execute();
    await db.schema
      .createTable('jobs')
      .$call(ordinalKey(db, 'ordinal'))
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .$call(required('text', 'account_id', 'key_id', 'model', 'status', 'request', 'request_hash'))
      .$call(optional('text', 'idempotency_key', 'response', 'error_message'))
      .$call(required('bigint', 'created_at_ms'))
      .$call(optional('bigint', 'started_at_ms', 'ended_at_ms'))
      .$call(zero('starts'))
      .$call(optional('text', 'lease_owner'))
      .$call(optional('bigint', 'lease_until_ms'))
      .addCheckConstraint(
        'jobs_status',
        sql`status in ('CREATED', 'IN_PROGRESS', 'COMPLETED', 'FAILED')
          and (response is not null) = (status = 'COMPLETED')
          and (error_message is not null) = (status = 'FAILED')`,
      )
      .execute();
    await db.schema
      .createIndex('jobs_idempotency')
      .unique()
      .on('jobs')
      .columns(['account_id', 'idempotency_key'])
      .execute();
    await createIndex(db, 'jobs_account', 'jobs', ['account_id', 'ordinal']);
    await createIndex(db, 'jobs_created', 'jobs', ['created_at_ms']);
    // Open jobs only: the index stays as small as the queue.
    await sql`create index jobs_open on jobs (ordinal) where status in ('CREATED', 'IN_PROGRESS')`.execute(
      db,
    );
  },
};
