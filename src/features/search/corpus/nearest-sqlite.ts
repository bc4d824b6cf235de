import { sql, type Kysely } from 'kysely';

import {
  hasFilters,
  nearestMax,
  searchedToFilter,
  toFilter,
  toFound,
  type CandidateOptions,
  type CandidateRow,
  type FoundPassage,
  type QueryVector,
} from './candidates.ts';
import { FollowedCodes } from './followed-codes.ts';
import type { OnFailure } from '../../../kernel/kit/failure-log.ts';
import { passagesPerDocument } from '../../../kernel/store/index-documents.ts';
import type { Schema } from '../../../kernel/store/schema.ts';

/** Vectors that are compared, the newest: 56 bytes and some 50 ns each. */
const comparedMax = { ofAll: 50_000, ofAccount: 20_000 };
/** Vectors that memory is taken for, of the accounts that searched last: 11 MB, and no more than 3,125 accounts. */
const keptMax = 200_000;

/** Passages by their meaning alone: the signs of their vectors choose, and whoever ranks compares the vectors. */
export function createNearestInSqlite(db: Kysely<Schema>, onFailure: OnFailure) {
  /** By account, those that searched last at the end. */
  const kept = new Map<string, FollowedCodes>();

  function codesOf(accountId: string, { embeddedBy, values }: QueryVector): FollowedCodes {
    const of = { accountId, embeddedBy, dimensions: values.length };
    const known = kept.get(accountId);
    const sizeMax = accountId === '' ? comparedMax.ofAll : comparedMax.ofAccount;
    const codes = known?.isOf(of) === true ? known : new FollowedCodes(db, of, sizeMax);
    kept.delete(accountId);
    kept.set(accountId, codes);
    return codes;
  }

  function forgetSome(): void {
    let room = 0;
    for (const [accountId, codes] of [...kept].toReversed()) {
      if (accountId === '') continue;
      room += codes.room;
      if (room > keptMax) kept.delete(accountId);
    }
  }

  async function find(vector: QueryVector, options: CandidateOptions): Promise<readonly FoundPassage[]> {
    if (vector.values.every((value) => value === 0)) return [];
    const accountIds = [...new Set(['', options.accountId])];
    const count = hasFilters(options) ? searchedToFilter : nearestMax;
    const documentIds = await documentsOf(db, options.sourceIds ?? null);
    const near = await Promise.all(
      accountIds.map((id) => codesOf(id, vector).nearest(vector.values, count, documentIds)),
    );
    forgetSome();
    const found = await Promise.all(near.map((ids) => read(db, ids, options)));
    return found.flat();
  }

  return {
    /** Empty where it fails: words find without it. */
    async find(...asked: Parameters<typeof find>): Promise<readonly FoundPassage[]> {
      try {
        return await find(...asked);
      } catch (error) {
        onFailure('nearest vectors', error);
        return [];
      }
    },
  };
}

/** Null where no source is named. */
async function documentsOf(
  db: Kysely<Schema>,
  sourceIds: readonly string[] | null,
): Promise<ReadonlySet<number> | null> {
  if (sourceIds === null) return null;
  const rows = await db
    .selectFrom('corpus_documents')
    .select('id')
    .where('source_id', 'in', sourceIds)
    .orderBy('id', 'desc')
    .limit(comparedMax.ofAll)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** With what ranks them, best first. Whose they are is looked at once more. */
async function read(
  db: Kysely<Schema>,
  ids: readonly number[],
  options: CandidateOptions,
): Promise<readonly FoundPassage[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<CandidateRow>`
    select p.id, 0.0 as score, p.vector, d.embedded_by from json_each(${JSON.stringify(ids)}) x
      cross join corpus_passages p on p.id = x.value
      cross join corpus_documents d on d.id = p.id / ${sql.lit(passagesPerDocument)} and ${toFilter(options)}
      order by x.key limit ${sql.lit(nearestMax)}`.execute(db);
  return rows.map(toFound);
}
