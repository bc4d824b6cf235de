import { sql, type Kysely } from 'kysely';

import type { Schema } from '../../../kernel/store/schema.ts';

/** Beyond this every word is as frequent as any: none of them chooses candidates beside a rarer one. */
export const countedRowsMax = 20_000;

/** Number of passages that hold a word. Changes slowly, and only guides the plan. */
export type Frequencies = ReturnType<typeof createFrequencies>;

const keptMax = 20_000;
const keptMs = 300_000;

/** `count` is of the store: through the index itself, which stems; a table of terms would have to be asked for the stem. */
export function createFrequencies(
  db: Kysely<Schema>,
  nowMs: () => number,
  count: (db: Kysely<Schema>, word: string) => Promise<number> = countInSqlite,
) {
  const kept = new Map<string, number>();
  let keptUntilMs = 0;
  return {
    async of(words: readonly string[]): Promise<ReadonlyMap<string, number>> {
      if (nowMs() > keptUntilMs || kept.size > keptMax) {
        kept.clear();
        keptUntilMs = nowMs() + keptMs;
      }
      // Taken now: while the others are counted, another call may clear everything.
      const result = new Map(words.map((word) => [word, kept.get(word) ?? 0]));
      const unknown = words.filter((word) => !kept.has(word));
      const counts = await Promise.all(unknown.map((word) => count(db, word)));
      // A word that is nowhere is left out of the query, so a first passage with it has to be noticed at once.
      for (const [index, word] of unknown.entries()) {
        const found = counts[index] ?? 0;
        result.set(word, found);
        if (found > 0) kept.set(word, found);
      }
      return result;
    },
  };
}

async function countInSqlite(db: Kysely<Schema>, word: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from
    (select 1 from corpus_texts where corpus_texts match ${quoted(word)} limit ${sql.lit(countedRowsMax)})`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}

/** Words as a query of FTS5 has them: in a row. */
export function quoted(words: string): string {
  return `"${words.replaceAll('"', '')}"`;
}
