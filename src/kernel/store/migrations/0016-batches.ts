import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { createStorageTriggers } from '../storage-triggers.ts';
import { storedTables } from '../stored-tables.ts';
import { createIndex, optional, ordinalKey, required, zero } from '../table-columns.ts';

/** Decisions over many rows: what was uploaded, and what was answered. */
export const batches: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('decision_batches')
      .$call(ordinalKey(db, 'ordinal'))
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .$call(required('text', 'account_id', 'key_id', 'model'))
      .$call(optional('text', 'name', 'questions'))
      .$call(required('text', 'status'))
      .$call(zero('rows'))
      .$call(zero('answered'))
      .$call(zero('failed'))
      .$call(required('bigint', 'input_tokens', 'output_tokens'))
      .$call(zero('waits'))
      .$call(optional('text', 'waits_for'))
      .$call(required('bigint', 'created_at_ms', 'served_at_ms', 'expires_at_ms'))
      .$call(optional('bigint', 'not_before_ms', 'started_at_ms', 'ended_at_ms'))
      .execute();
    await createIndex(db, 'decision_batches_account', 'decision_batches', ['account_id', 'ordinal']);
    await createIndex(db, 'decision_batches_expires', 'decision_batches', ['expires_at_ms']);
    // Open batches only: the index stays as small as the queue.
    await sql`create index decision_batches_open on decision_batches (account_id, served_at_ms)
      where status in ('queued', 'running')`.execute(db);
    await db.schema
      .createTable('decision_batch_inputs')
      .$call(required('text', 'batch_id'))
      .$call(required('integer', 'first_line', 'lines'))
      .$call(zero('done'))
      .$call(required('text', 'content'))
      .$call(zero('starts'))
      .$call(optional('text', 'lease_owner'))
      .$call(optional('bigint', 'lease_until_ms'))
      .addPrimaryKeyConstraint('decision_batch_inputs_key', ['batch_id', 'first_line'])
      .execute();
    await db.schema
      .createTable('decision_batch_results')
      .$call(required('text', 'batch_id'))
      .$call(required('integer', 'first_line', 'lines'))
      .$call(required('text', 'content'))
      .addPrimaryKeyConstraint('decision_batch_results_key', ['batch_id', 'first_line'])
      .execute();
    await createStorageTriggers(
      db,
      storedTables.filter(({ table }) => table.startsWith('decision_batch')),
    );
  },
};
