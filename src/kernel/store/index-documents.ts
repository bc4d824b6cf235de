import { sql, type Kysely } from 'kysely';

import type { Schema } from './schema.ts';
import { storeOf } from './store.ts';

/** Documents of the index, and how they go: no cascade would reach their words. */

/** Ids of passages are this times the id of their document, plus their position there. */
export const passagesPerDocument = 1_024;

/** With their passages and words. Needs a transaction. */
export async function removeDocuments(db: Kysely<Schema>, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await dropTexts(db, ids);
  await db.deleteFrom('corpus_documents').where('id', 'in', ids).execute();
}

/** Passages and words alone. */
export async function dropTexts(db: Kysely<Schema>, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  if (storeOf(db) === 'sqlite') {
    await dropInSqlite(db, ids);
    return;
  }
  for (const id of ids) {
    await db
      .deleteFrom('corpus_passages')
      .where('id', '>=', id * passagesPerDocument)
      .where('id', '<', (id + 1) * passagesPerDocument)
      .execute();
  }
}

/** On PostgreSQL the words go with their rows. */
async function dropInSqlite(db: Kysely<Schema>, ids: readonly number[]): Promise<void> {
  const json = JSON.stringify(ids);
  const passages = sql`(select p.id from json_each(${json}) d
    cross join corpus_passages p on p.id >= d.value * ${sql.lit(passagesPerDocument)}
      and p.id < (d.value + 1) * ${sql.lit(passagesPerDocument)})`;
  await sql`delete from corpus_titles where rowid in (select value from json_each(${json}))`.execute(db);
  await sql`delete from corpus_texts where rowid in ${passages}`.execute(db);
  await sql`delete from corpus_passages where id in ${passages}`.execute(db);
}
