import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { createIndex } from '../table-columns.ts';

/** The addresses that a crawl takes next are found without sorting all that wait. */
export const frontierOrder: Migration = {
  async up(db: Kysely<unknown>) {
    await createIndex(db, 'corpus_frontier_next', 'corpus_frontier', [
      'source_id',
      'is_done',
      'depth',
      'url',
    ]);
  },
};
