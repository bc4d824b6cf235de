import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { createStorageTriggers } from '../storage-triggers.ts';
import { storedTables } from '../stored-tables.ts';
import { createIndex, ordinalKey, partOf, required, textKey } from '../table-columns.ts';

/** Conversations of clients of OpenAI, and their items in order. */
export const conversations: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('conversations')
      .$call(textKey('id'))
      .$call(required('text', 'account_id', 'metadata'))
      .$call(required('bigint', 'created_at_ms', 'expires_at_ms'))
      .execute();
    await createIndex(db, 'conversations_expiry', 'conversations', ['expires_at_ms']);
    await db.schema
      .createTable('conversation_items')
      .$call(ordinalKey(db, 'ordinal'))
      .$call(partOf('conversation_id', 'conversations.id'))
      .$call(required('text', 'id', 'item'))
      .addUniqueConstraint('conversation_items_id', ['conversation_id', 'id'])
      .execute();
    await createIndex(db, 'conversation_items_order', 'conversation_items', ['conversation_id', 'ordinal']);
    await createStorageTriggers(
      db,
      storedTables.filter(({ table }) => table.startsWith('conversation')),
    );
  },
};
