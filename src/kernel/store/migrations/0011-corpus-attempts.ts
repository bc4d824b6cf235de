import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What a refresh is reading, so that the next one knows what the process ended at. */
export const corpusAttempts: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('corpus_sources').addColumn('set_aside', 'text').execute();
    await db.schema
      .createTable('corpus_attempts')
      .addColumn('source_id', 'text', (column) =>
        column.notNull().references('corpus_sources.id').onDelete('cascade'),
      )
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('times', 'integer', (column) => column.notNull())
      .addColumn('is_skipped', 'integer', (column) => column.notNull().defaultTo(0))
      .addPrimaryKeyConstraint('corpus_attempts_key', ['source_id', 'url'])
      .execute();
  },
};
