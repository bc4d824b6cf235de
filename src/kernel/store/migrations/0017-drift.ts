import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Counts of what deciders answered since they learned. */
export const drift: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('decider_fits').addColumn('drift', 'text').execute();
  },
};
