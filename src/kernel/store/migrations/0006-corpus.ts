import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { storeOf } from '../store.ts';
import { createIndex, optional, ordinalKey, partOf, required, textKey, zero } from '../table-columns.ts';

/**
 * The own index: sources, the crawl frontier, documents, passages and their words. On SQLite the words are in two
 * contentless FTS5 tables; on PostgreSQL they are columns beside the text.
 */
export const corpus: Migration = {
  async up(db: Kysely<unknown>) {
    await createSources(db);
    await createDocuments(db);
    await (storeOf(db) === 'postgres' ? indexInPostgres(db) : indexInSqlite(db));
  },
};

async function createSources(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('corpus_sources')
    .$call(textKey('id'))
    .$call(required('text', 'kind'))
    .addColumn('location', 'text', (column) => column.notNull().unique())
    .$call(required('text', 'options'))
    .$call(optional('bigint', 'every_ms'))
    .$call(required('bigint', 'added_at_ms'))
    .$call(optional('bigint', 'begun_at_ms', 'refreshed_at_ms', 'due_at_ms'))
    .$call(optional('text', 'outcome', 'lease_owner'))
    .$call(optional('bigint', 'lease_until_ms'))
    .execute();
  await db.schema
    .createTable('corpus_frontier')
    .$call(partOf('source_id', 'corpus_sources.id'))
    .$call(required('text', 'url'))
    .$call(required('integer', 'depth'))
    .$call(zero('is_done'))
    .addPrimaryKeyConstraint('corpus_frontier_key', ['source_id', 'url'])
    .execute();
}

async function createDocuments(db: Kysely<unknown>): Promise<void> {
  const isPostgres = storeOf(db) === 'postgres';
  await db.schema
    .createTable('corpus_documents')
    .$call(ordinalKey(db, 'id'))
    // No cascade: on SQLite it would not delete the words.
    .addColumn('source_id', 'text', (column) => column.notNull().references('corpus_sources.id'))
    .$call(required('text', 'url', 'domain', 'title'))
    .$call(optional('text', 'language', 'date', 'last_updated'))
    .$call(required('text', 'hash', 'text_hash'))
    .$call(optional('text', 'etag', 'last_modified', 'embedded_by'))
    .$call(required('bigint', 'fetched_at_ms', 'seen_at_ms'))
    .addUniqueConstraint('corpus_documents_url', ['source_id', 'url'])
    .execute();
  await createIndex(db, 'corpus_documents_text', 'corpus_documents', ['text_hash']);
  await db.schema
    .createTable('corpus_passages')
    // 1,024 times the id of the document, plus its position there: the document follows without a query.
    .addColumn('id', isPostgres ? 'bigint' : 'integer', (column) => column.primaryKey().notNull())
    .$call(required('text', 'heading', 'text'))
    .$call(required('integer', 'start_at'))
    .addColumn('vector', isPostgres ? 'bytea' : 'blob')
    .execute();
}

async function indexInSqlite(db: Kysely<unknown>): Promise<void> {
  // Contentless: the words differ from the stored text. `facets` only filters and has no weight.
  for (const [name, columns] of [
    ['corpus_titles', 'facets, title, headings'],
    ['corpus_texts', 'facets, heading, text'],
  ] as const) {
    await sql`create virtual table ${sql.table(name)} using fts5(${sql.raw(columns)}, content='',
      contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2')`.execute(db);
  }
}

async function indexInPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`alter table corpus_documents add column words tsvector`.execute(db);
  await sql`alter table corpus_passages add column words tsvector`.execute(db);
  await sql`create index corpus_documents_words on corpus_documents using gin (words)`.execute(db);
  await sql`create index corpus_passages_words on corpus_passages using gin (words)`.execute(db);
}
