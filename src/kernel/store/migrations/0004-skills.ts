import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { storeOf } from '../store.ts';

/** Skills and their revisions. Bundles are base64 text, so that exports are lines of JSON like all else. */
export const skills: Migration = {
  async up(db: Kysely<unknown>) {
    const isPostgres = storeOf(db) === 'postgres';
    const ordinal = isPostgres ? 'bigserial' : 'integer';
    await db.schema
      .createTable('skills')
      .addColumn('ordinal', ordinal, (column) =>
        isPostgres ? column.primaryKey().notNull() : column.primaryKey().autoIncrement().notNull(),
      )
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('latest_revision', 'text', (column) => column.notNull())
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('skills_account').on('skills').columns(['account_id', 'ordinal']).execute();
    await db.schema
      .createTable('skill_revisions')
      .addColumn('ordinal', ordinal, (column) =>
        isPostgres ? column.primaryKey().notNull() : column.primaryKey().autoIncrement().notNull(),
      )
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('skill_id', 'text', (column) => column.notNull().references('skills.id').onDelete('cascade'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('description', 'text', (column) => column.notNull())
      .addColumn('extra', 'text', (column) => column.notNull())
      .addColumn('bundle', 'text', (column) => column.notNull())
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
      .addCheckConstraint('skill_revisions_name', sql`length(name) between 1 and 64`)
      .execute();
    await db.schema
      .createIndex('skill_revisions_skill')
      .on('skill_revisions')
      .columns(['skill_id', 'ordinal'])
      .execute();
  },
};
