import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Which response goes on with a conversation. */
export const conversationLocks: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('conversations').addColumn('locked_by', 'text').execute();
    await db.schema.alterTable('conversations').addColumn('locked_until_ms', 'bigint').execute();
  },
};
