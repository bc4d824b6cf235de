import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The addresses that a crawl takes next are found without sorting all that wait. */
export const frontierOrder: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createIndex('corpus_frontier_next')
      .on('corpus_frontier')
      .columns(['source_id', 'is_done', 'depth', 'url'])
      .execute();
  },
};
