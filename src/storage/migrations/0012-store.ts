import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** When the store was last tried and last looked after. */
export const store: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('instants')
      .addColumn('name', 'text', (column) => column.primaryKey().notNull())
      .addColumn('at_ms', 'bigint', (column) => column.notNull())
      .execute();
  },
};
