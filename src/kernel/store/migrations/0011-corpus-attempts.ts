import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { partOf, required, zero } from '../table-columns.ts';

/** Addresses that a refresh is reading, to find the one at which a process died. */
export const corpusAttempts: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('corpus_sources').addColumn('set_aside', 'text').execute();
    await db.schema
      .createTable('corpus_attempts')
      .$call(partOf('source_id', 'corpus_sources.id'))
      .$call(required('text', 'url'))
      .$call(required('integer', 'times'))
      .$call(zero('is_skipped'))
      .addPrimaryKeyConstraint('corpus_attempts_key', ['source_id', 'url'])
      .execute();
  },
};
