import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { createStorageTriggers } from '../storage-triggers.ts';
import { storedTables } from '../stored-tables.ts';
import { required } from '../table-columns.ts';

/** What an encoder made of examples, and made with much work. */
export const exampleVectors: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('decider_example_vectors')
      .addColumn('example_id', 'text', (column) =>
        column.primaryKey().notNull().references('decider_examples.id').onDelete('cascade'),
      )
      .$call(required('text', 'features', 'vectors'))
      .execute();
    await createStorageTriggers(
      db,
      storedTables.filter(({ table }) => table === 'decider_example_vectors'),
    );
  },
};
