import { sql, type Kysely, type RawBuilder } from 'kysely';

import { isVisibleTo } from './candidates.ts';
import { countedRowsMax, createFrequencies } from './frequencies.ts';
import type { Schema } from '../../../kernel/store/schema.ts';

/** What a word of a query weighs, and in how many passages of all it stands. */
export interface WordWeight {
  readonly word: string;
  readonly count: number;
  /** As BM25 weighs it: the less, the more passages have it. */
  readonly weight: number;
}

export type Rarity = ReturnType<typeof createRarity>;

const keptMs = 300_000;
/** Below, statistics of PostgreSQL may be old, and counting is cheap. */
const estimatedMin = 50_000;

/**
 * How rare words are on PostgreSQL, whose `ts_rank` takes all for equally rare. Only what everybody finds is counted, so
 * that no ranking knows what accounts have; a word that is nowhere in it is as rare as a word can be.
 */
export function createRarity(db: Kysely<Schema>, nowMs: () => number) {
  const frequencies = createFrequencies(db, nowMs, countInPostgres);
  let total = { passages: 0, untilMs: Number.NEGATIVE_INFINITY };
  return {
    async of(words: readonly string[]): Promise<readonly WordWeight[]> {
      if (nowMs() > total.untilMs) total = { passages: await countPassages(db), untilMs: nowMs() + keptMs };
      const counts = await frequencies.of(words);
      const passages = Math.max(total.passages, ...counts.values());
      return words.map((word) => {
        const count = counts.get(word) ?? 0;
        return { word, count, weight: Math.log(1 + (passages - count + 0.5) / (count + 0.5)) };
      });
    },
  };
}

/** As it is and as English stems it; either may match. A query of stop words is empty in English. */
export function toQuery(words: string): RawBuilder<unknown> {
  return sql`(to_tsquery('simple', ${words}) || to_tsquery('english', ${words}))`;
}

/** Words are letters and digits only, so quoting them is enough. */
export function quotedWord(word: string): string {
  return `'${word.replaceAll("'", '')}'`;
}

/**
 * Joins the document `d` of a passage `t`, looked up by its number. Of a plain join PostgreSQL made a hash of all documents,
 * 45 ms for 60,000; `offset 0` has it make none.
 */
export const documentOfPassage = (filter: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`cross join lateral
    (select d.embedded_by from corpus_documents d where d.id = t.id / 1024 and ${filter} offset 0) d`;

async function countInPostgres(db: Kysely<Schema>, word: string): Promise<number> {
  const { rows } = await sql<{ readonly n: number }>`select count(*)::int as n from
    (select 1 from corpus_passages t ${documentOfPassage(isVisibleTo(''))}
      where t.words @@ ${toQuery(quotedWord(word))} limit ${sql.lit(countedRowsMax)}) found`.execute(db);
  return rows[0]?.n ?? 0;
}

async function countPassages(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{
    readonly n: number;
  }>`select case when reltuples > ${sql.lit(estimatedMin)} then reltuples
    else (select count(*) from corpus_passages) end::float8 as n
    from pg_class where oid = 'corpus_passages'::regclass`.execute(db);
  return rows[0]?.n ?? 0;
}
