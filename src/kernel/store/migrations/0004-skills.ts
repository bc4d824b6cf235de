import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { createIndex, ordinalKey, partOf, required } from '../table-columns.ts';

/** Skills and their revisions. Bundles are base64 text, so that they fit into exports as JSON lines. */
export const skills: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('skills')
      .$call(ordinalKey(db, 'ordinal'))
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .$call(required('text', 'account_id', 'latest_revision'))
      .$call(required('bigint', 'created_at_ms', 'updated_at_ms'))
      .execute();
    await createIndex(db, 'skills_account', 'skills', ['account_id', 'ordinal']);
    await db.schema
      .createTable('skill_revisions')
      .$call(ordinalKey(db, 'ordinal'))
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .$call(partOf('skill_id', 'skills.id'))
      .$call(required('text', 'name', 'description', 'extra', 'bundle'))
      .$call(required('bigint', 'created_at_ms'))
      .addCheckConstraint('skill_revisions_name', sql`length(name) between 1 and 64`)
      .execute();
    await createIndex(db, 'skill_revisions_skill', 'skill_revisions', ['skill_id', 'ordinal']);
  },
};
