import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { createIndex, optional, partOf, required, textKey, zero } from '../table-columns.ts';

/** Responses of the agent with their stream events, output items and files. */
export const responses: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('responses')
      .$call(textKey('id'))
      .$call(required('text', 'account_id', 'status'))
      .$call(required('integer', 'is_stored'))
      .$call(optional('text', 'previous_id'))
      .$call(required('text', 'input', 'response'))
      .$call(optional('integer', 'last_sequence'))
      .$call(zero('is_cancelled'))
      .$call(optional('text', 'lease_owner'))
      .$call(optional('bigint', 'lease_until_ms'))
      .$call(required('bigint', 'created_at_ms'))
      .$call(optional('bigint', 'ended_at_ms'))
      .$call(required('bigint', 'expires_at_ms'))
      .addCheckConstraint(
        'responses_status',
        sql`status in ('in_progress', 'requires_action', 'completed', 'failed')
          and (ended_at_ms is null) = (status = 'in_progress')
          and (last_sequence is null) = (status = 'in_progress')`,
      )
      .execute();
    await createIndex(db, 'responses_expiry', 'responses', ['expires_at_ms']);
    // Runs in progress only, so that the index stays small.
    await sql`create index responses_open on responses (lease_owner) where status = 'in_progress'`.execute(
      db,
    );
    await db.schema
      .createTable('response_events')
      .$call(partOf('response_id', 'responses.id'))
      .$call(required('integer', 'first_sequence'))
      .$call(required('text', 'lines'))
      .$call(required('bigint', 'expires_at_ms'))
      .addPrimaryKeyConstraint('response_events_key', ['response_id', 'first_sequence'])
      .execute();
    await createIndex(db, 'response_events_expiry', 'response_events', ['expires_at_ms']);
    await createParts(db);
  },
};

async function createParts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('response_items')
    .$call(textKey('id'))
    .$call(partOf('response_id', 'responses.id'))
    .$call(required('text', 'item'))
    .execute();
  await createIndex(db, 'response_items_response', 'response_items', ['response_id']);
  await db.schema
    .createTable('response_files')
    .$call(textKey('id'))
    .$call(partOf('response_id', 'responses.id'))
    .$call(required('integer', 'position'))
    .$call(required('text', 'filename'))
    .$call(required('integer', 'bytes'))
    .$call(required('text', 'content'))
    .$call(required('bigint', 'created_at_ms'))
    .execute();
  await createIndex(db, 'response_files_response', 'response_files', ['response_id']);
}
