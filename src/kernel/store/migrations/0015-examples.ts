import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { createStorageTriggers } from '../storage-triggers.ts';
import { storedTables } from '../stored-tables.ts';
import { createIndex, optional, ordinalKey, required } from '../table-columns.ts';

const names = ['decider_examples', 'decider_fits'] as const;

/** What deciders of accounts learn from, and what they learned. */
export const examples: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('decider_examples')
      .$call(ordinalKey(db, 'ordinal'))
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .$call(required('text', 'account_id', 'decider', 'example'))
      .$call(required('bigint', 'created_at_ms'))
      .execute();
    await db.schema
      .createTable('decider_fits')
      .$call(ordinalKey(db, 'ordinal'))
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .$call(required('text', 'account_id', 'decider', 'state'))
      .$call(optional('text', 'heads', 'report', 'error', 'lease_owner'))
      .$call(required('bigint', 'created_at_ms'))
      .$call(optional('bigint', 'learned_to', 'ended_at_ms', 'lease_until_ms'))
      .execute();
    for (const name of names)
      await createIndex(db, `${name}_decider`, name, ['account_id', 'decider', 'ordinal']);
    await createIndex(db, 'decider_fits_state', 'decider_fits', ['state']);
    await createStorageTriggers(
      db,
      storedTables.filter(({ table }) => names.some((name) => name === table)),
    );
  },
};
