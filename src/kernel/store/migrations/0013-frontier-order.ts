import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { createIndex } from '../table-columns.ts';

/** Finds the next addresses of a crawl without sorting the whole frontier. */
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
