import { sql, type Kysely, type RawBuilder } from 'kysely';

import type { OnFailure } from '../../../kernel/kit/failure-log.ts';
import {
  hasFilters,
  isVisibleTo,
  nearestMax,
  searchedToFilter,
  toFilter,
  toFound,
  type CandidateOptions,
  type CandidateRow,
  type FoundPassage,
  type QueryVector,
} from './candidates.ts';
import { passagesPerDocument } from '../../../kernel/store/index-documents.ts';
import type { Schema } from '../../../kernel/store/schema.ts';

/** Tables, columns and names that `nearest-index.ts` makes, and this file asks. PostgreSQL with pgvector only. */
export const vectorsTable = 'corpus_vectors';
export const nearestIndexName = 'corpus_vectors_nearest';

/** Whose vectors the table has, as its comment says: written and read by Nestor alone. */
export interface VectorsOf {
  readonly embeddedBy: string;
  readonly dimensions: number;
}

/**
 * Passages of all beyond which HNSW finds the nearest: so many take 3 ms when they are compared one by one, which misses
 * none.
 */
export const comparedMax = 5_000;
/** Of one account, or of some sources. The newest; comparing them takes some 15 ms. */
const comparedOfSomeMax = 20_000;

/** How far HNSW looks. At 40, its default, it would give no more than it is asked for here. */
const searched = 100;

const lookedAtMs = 30_000;

interface Known extends VectorsOf {
  /** Null where there are too many to be compared, and no index yet. */
  readonly way: 'compare' | 'index' | null;
}

/** Passages by their meaning alone, where PostgreSQL has pgvector and the vectors in it are those of the query's engine. */
export function createNearest(db: Kysely<Schema>, nowMs: () => number, onFailure: OnFailure) {
  let known: Known | null = null;
  let knownUntilMs = 0;

  async function find(vector: QueryVector, options: CandidateOptions): Promise<readonly FoundPassage[]> {
    if (nowMs() >= knownUntilMs) {
      known = await look(db);
      knownUntilMs = nowMs() + lookedAtMs;
    }
    if (known === null || !isOf(known, vector)) return [];
    const ask = { db, query: sql`${`[${vector.values.join(',')}]`}::vector`, filter: toFilter(options) };
    const isFiltered = hasFilters(options);
    const { accountId } = options;
    const ids = await Promise.all([
      ofAll(ask, (options.sourceIds ?? null) === null ? known.way : 'compare', isFiltered),
      accountId === ''
        ? []
        : compared(ask, sql`v.account_id = ${accountId} and v.account_id <> ''`, isFiltered),
    ]);
    return read(db, [...new Set(ids.flat())], accountId);
  }

  return {
    /**
     * Empty where there is nothing to ask, and where it fails, as when the table has just been made for another engine: words find
     * without it.
     */
    async find(...asked: Parameters<typeof find>): Promise<readonly FoundPassage[]> {
      try {
        return await find(...asked);
      } catch (error) {
        knownUntilMs = 0;
        onFailure('nearest vectors', error);
        return [];
      }
    },
  };
}

function ofAll(ask: Ask, way: Known['way'], isFiltered: boolean): Promise<number[]> | number[] {
  if (way === null) return [];
  return way === 'index' ? indexed(ask, isFiltered) : compared(ask, sql`v.account_id = ''`, isFiltered);
}

const isOf = (known: VectorsOf, { embeddedBy, values }: QueryVector): boolean =>
  known.embeddedBy === embeddedBy &&
  known.dimensions === values.length &&
  values.some((value) => value !== 0);

/** What the comment on the table says, as it was written; null for none, or one that cannot be read. */
export function toVectorsOf(comment: string | null): (VectorsOf & { readonly isFilled: boolean }) | null {
  const parts = /^nestor 1 (?<dimensions>\d+) (?<state>filled|filling) (?<engine>.+)$/s.exec(
    comment ?? '',
  )?.groups;
  if (parts === undefined) return null;
  return {
    dimensions: Number(parts['dimensions']),
    embeddedBy: parts['engine'] ?? '',
    isFilled: parts['state'] === 'filled',
  };
}

async function look(db: Kysely<Schema>): Promise<Known | null> {
  const { rows } = await sql<{ readonly comment: string | null; readonly indexed: number | null }>`
    select obj_description(to_regclass(${vectorsTable}), 'pg_class') as comment,
      (select count(*) from pg_index where indexrelid = to_regclass(${nearestIndexName}) and indisvalid) as indexed`.execute(
    db,
  );
  const of = toVectorsOf(rows[0]?.comment ?? null);
  if (of === null) return null;
  if (Number(rows[0]?.indexed) > 0) return { ...of, way: 'index' };
  return { ...of, way: (await isMoreThan(db, comparedMax)) ? null : 'compare' };
}

async function isMoreThan(db: Kysely<Schema>, count: number): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table(vectorsTable)} where account_id = ''
    limit 1 offset ${sql.lit(count)}`.execute(db);
  return rows.length > 0;
}

interface Ask {
  readonly db: Kysely<Schema>;
  readonly query: RawBuilder<unknown>;
  readonly filter: RawBuilder<unknown>;
}

/**
 * One statement, so that what it sets ends with it: the setting is read when the index is first asked, and the join has
 * it set before.
 */
async function indexed({ db, query, filter }: Ask, isFiltered: boolean): Promise<number[]> {
  const count = isFiltered ? searchedToFilter : searched;
  const { rows } = await sql<{ readonly id: number }>`
    with setting as materialized (select set_config('hnsw.ef_search', ${sql.lit(String(count))}, true) as is_set)
    select near.id from setting cross join lateral
      (select v.passage_id as id, v.embedding <=> ${query} as distance from ${sql.table(vectorsTable)} v
        where v.account_id = '' and setting.is_set is not null
        order by v.embedding <=> ${query} limit ${sql.lit(isFiltered ? searchedToFilter : nearestMax)}) near
      ${isFiltered ? sql`join corpus_documents d on d.id = near.id / ${sql.lit(passagesPerDocument)} and ${filter}` : sql``}
      order by near.distance limit ${sql.lit(nearestMax)}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Exact: the limit between keeps the index out. */
async function compared(
  { db, query, filter }: Ask,
  owned: RawBuilder<unknown>,
  isFiltered: boolean,
): Promise<number[]> {
  const documents = sql`join corpus_documents d on d.id = v.passage_id / ${sql.lit(passagesPerDocument)} and ${filter}`;
  const { rows } = await sql<{ readonly id: number }>`select near.id from
      (select v.passage_id as id, v.embedding from ${sql.table(vectorsTable)} v ${isFiltered ? documents : sql``}
        where ${owned} order by v.passage_id desc limit ${sql.lit(comparedOfSomeMax)}) near
      order by near.embedding <=> ${query} limit ${sql.lit(nearestMax)}`.execute(db);
  return rows.map(({ id }) => id);
}

/** With what ranks them. Whose they are is looked at once more. */
async function read(db: Kysely<Schema>, ids: readonly number[], accountId: string): Promise<FoundPassage[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<CandidateRow>`select p.id, 0::float8 as score, p.vector, d.embedded_by
    from corpus_passages p join corpus_documents d on d.id = p.id / ${sql.lit(passagesPerDocument)}
    where p.id in (${sql.join(ids)}) and ${isVisibleTo(accountId)}`.execute(db);
  return rows.map(toFound);
}
