import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { storeOf } from '../store.ts';

/**
 * The index of one's own: where it comes from, what is still to be fetched, documents, their passages and their words.
 * On SQLite the words are in two tables of FTS5 that keep no text; on PostgreSQL they are columns beside it.
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
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('location', 'text', (column) => column.notNull().unique())
    .addColumn('options', 'text', (column) => column.notNull())
    .addColumn('every_ms', 'bigint')
    .addColumn('added_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('begun_at_ms', 'bigint')
    .addColumn('refreshed_at_ms', 'bigint')
    .addColumn('due_at_ms', 'bigint')
    .addColumn('outcome', 'text')
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until_ms', 'bigint')
    .execute();
  await db.schema
    .createTable('corpus_frontier')
    .addColumn('source_id', 'text', (column) =>
      column.notNull().references('corpus_sources.id').onDelete('cascade'),
    )
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('depth', 'integer', (column) => column.notNull())
    .addColumn('is_done', 'integer', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('corpus_frontier_key', ['source_id', 'url'])
    .execute();
}

async function createDocuments(db: Kysely<unknown>): Promise<void> {
  const isPostgres = storeOf(db) === 'postgres';
  await db.schema
    .createTable('corpus_documents')
    .addColumn('id', isPostgres ? 'bigserial' : 'integer', (column) =>
      isPostgres ? column.primaryKey().notNull() : column.primaryKey().autoIncrement().notNull(),
    )
    // No cascade: on SQLite it would leave the words behind.
    .addColumn('source_id', 'text', (column) => column.notNull().references('corpus_sources.id'))
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('domain', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('language', 'text')
    .addColumn('date', 'text')
    .addColumn('last_updated', 'text')
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('text_hash', 'text', (column) => column.notNull())
    .addColumn('etag', 'text')
    .addColumn('last_modified', 'text')
    .addColumn('embedded_by', 'text')
    .addColumn('fetched_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('seen_at_ms', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('corpus_documents_url', ['source_id', 'url'])
    .execute();
  await db.schema
    .createIndex('corpus_documents_text')
    .on('corpus_documents')
    .columns(['text_hash'])
    .execute();
  await db.schema
    .createTable('corpus_passages')
    // 1,024 times the document's number, plus its place in it: the document follows without a look.
    .addColumn('id', isPostgres ? 'bigint' : 'integer', (column) => column.primaryKey().notNull())
    .addColumn('heading', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('start_at', 'integer', (column) => column.notNull())
    .addColumn('vector', isPostgres ? 'bytea' : 'blob')
    .execute();
}

async function indexInSqlite(db: Kysely<unknown>): Promise<void> {
  // Contentless: the words differ from the text that is kept. `facets` filters and weighs nothing.
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
