import type { CandidateOptions, Candidates, FoundPassage } from './candidates.ts';
import type { Kysely } from 'kysely';

import type { OnFailure } from '../../../kernel/kit/failure-log.ts';
import { queryOfAccount } from './account-words.ts';
import { findInPostgres } from './find-postgres.ts';
import { findInSqlite } from './find-sqlite.ts';
import { createFrequencies } from './frequencies.ts';
import { createNearest } from './nearest.ts';
import { createNearestInSqlite } from './nearest-sqlite.ts';
import { createRarity } from './rarity.ts';
import { parseWordQuery, type WordQuery } from './words.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { storeOf } from '../../../kernel/store/store.ts';

export type CandidateFinder = ReturnType<typeof createCandidateFinder>;

const nothing: Candidates = { passages: [], titles: [] };

/** `onFailure` is called for a part that an answer did without. */
export function createCandidateFinder(
  db: Kysely<Schema>,
  nowMs: () => number,
  onFailure: OnFailure = () => {},
) {
  const isPostgres = storeOf(db) === 'postgres';
  const frequencies = createFrequencies(db, nowMs);
  const rarity = createRarity(db, nowMs);
  const nearest = isPostgres ? createNearest(db, nowMs, onFailure) : createNearestInSqlite(db, onFailure);

  async function inSqlite(query: WordQuery, options: CandidateOptions): Promise<Candidates> {
    const { accountId } = options;
    const [shared, own] = await Promise.all([
      findInSqlite(db, query, { ...options, accountId: '' }, frequencies),
      accountId !== '' && (await hasDocuments(db, accountId))
        ? findInSqlite(db, queryOfAccount(accountId, query), options, frequencies)
        : nothing,
    ]);
    return own === nothing ? shared : join(shared, own);
  }

  /** Words in quotes have to be there. */
  async function byMeaning(query: WordQuery, options: CandidateOptions): Promise<readonly FoundPassage[]> {
    const vector = query.phrases.length > 0 ? null : ((await options.meaning) ?? null);
    return vector === null ? [] : nearest.find(vector, options);
  }

  return {
    /**
     * Passages and titles by their words, best first among each, then passages by their meaning alone: of documents of all and of
     * the account. Any text is a query; one without words finds nothing.
     */
    async find(text: string, options: CandidateOptions): Promise<Candidates> {
      const query = parseWordQuery(text);
      if (query.words.length + query.phrases.length === 0) return nothing;
      const [byWords, near] = await Promise.all([
        isPostgres ? findInPostgres(db, query, options, rarity) : inSqlite(query, options),
        byMeaning(query, options),
      ]);
      const found = new Set(byWords.passages.map(({ id }) => id));
      return { ...byWords, passages: [...byWords.passages, ...near.filter(({ id }) => !found.has(id))] };
    },
  };
}

/** Most accounts have none: a look at an index in place of all the statements. */
async function hasDocuments(db: Kysely<Schema>, accountId: string): Promise<boolean> {
  const row = await db
    .selectFrom('corpus_documents')
    .select('id')
    .where('account_id', '=', accountId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Both have ranked as many as are wanted of each, so none pushes the other out. */
const join = (shared: Candidates, own: Candidates): Candidates => ({
  passages: [...shared.passages, ...own.passages],
  titles: [...shared.titles, ...own.titles],
});
