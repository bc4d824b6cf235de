import type { CandidateOptions, Candidates } from './candidates.ts';
import type { Kysely } from 'kysely';

import { findInPostgres } from './find-postgres.ts';
import { findInSqlite } from './find-sqlite.ts';
import { createFrequencies } from './frequencies.ts';
import { parseWordQuery } from './words.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { storeOf } from '../../../kernel/store/store.ts';

export type CandidateFinder = ReturnType<typeof createCandidateFinder>;

export function createCandidateFinder(db: Kysely<Schema>, nowMs: () => number) {
  const isPostgres = storeOf(db) === 'postgres';
  const frequencies = createFrequencies(db, nowMs);
  return {
    /** Passages and titles by their words, best first among each. Any text is a query; one without words finds nothing. */
    find(text: string, options: CandidateOptions): Promise<Candidates> {
      const query = parseWordQuery(text);
      return isPostgres ? findInPostgres(db, query, options) : findInSqlite(db, query, options, frequencies);
    },
  };
}
