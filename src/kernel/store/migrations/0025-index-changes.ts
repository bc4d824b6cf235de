import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { storeOf } from '../store.ts';

const table = sql.ref('corpus_changes');

/**
 * Which documents of the index changed, in their order, each once, on SQLite: what a process keeps of their vectors in its memory
 * follows it. On PostgreSQL pgvector finds by them.
 */
export const indexChanges: Migration = {
  async up(db: Kysely<unknown>) {
    if (storeOf(db) === 'postgres') return;
    await sql`create table ${table}
      (place integer primary key autoincrement, document_id integer not null unique)`.execute(db);
    for (const [name, event, row] of [
      ['added', 'insert', 'new'],
      ['changed', 'update of text_hash, embedded_by', 'new'],
      ['removed', 'delete', 'old'],
    ] as const)
      await sql`create trigger ${sql.ref(`corpus_changes_${name}`)} after ${sql.raw(event)} on corpus_documents begin
        delete from ${table} where document_id = ${sql.raw(row)}.id;
        insert into ${table} (document_id) values (${sql.raw(row)}.id);
      end`.execute(db);
  },
};
