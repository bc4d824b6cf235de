import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { storeOf } from '../store.ts';

/** Asynchronous jobs, and secrets that this store's processes share: they sign what only they may read back. */
export const jobs: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('secrets')
      .addColumn('name', 'text', (column) => column.primaryKey().notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute();
    const isPostgres = storeOf(db) === 'postgres';
    await db.schema
      .createTable('jobs')
      // Order of creation: unlike the wall clock it never goes back.
      .addColumn('ordinal', isPostgres ? 'bigserial' : 'integer', (column) =>
        isPostgres ? column.primaryKey().notNull() : column.primaryKey().autoIncrement().notNull(),
      )
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('request', 'text', (column) => column.notNull())
      .addColumn('request_hash', 'text', (column) => column.notNull())
      .addColumn('idempotency_key', 'text')
      .addColumn('response', 'text')
      .addColumn('error_message', 'text')
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('started_at_ms', 'bigint')
      .addColumn('ended_at_ms', 'bigint')
      .addColumn('starts', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('lease_owner', 'text')
      .addColumn('lease_until_ms', 'bigint')
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
    await db.schema.createIndex('jobs_account').on('jobs').columns(['account_id', 'ordinal']).execute();
    await db.schema.createIndex('jobs_created').on('jobs').column('created_at_ms').execute();
    // Only what is not over: the index stays as small as the queue.
    await sql`create index jobs_open on jobs (ordinal) where status in ('CREATED', 'IN_PROGRESS')`.execute(
      db,
    );
  },
};
