import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

import { createStorageTriggers } from '../storage-triggers.ts';
import { storeOf } from '../store.ts';
import { storedTables } from '../stored-tables.ts';
import { createIndex, optional, ordinalKey, required, textKey } from '../table-columns.ts';

/**
 * Sources and documents of one account beside the shared ones, whose account is empty: also the column by which a
 * distributed PostgreSQL would spread them. Texts that an account sent are kept, because no other place has them.
 */
export const accountIndex: Migration = {
  async up(db: Kysely<unknown>) {
    await (storeOf(db) === 'postgres' ? ownSourcesInPostgres(db) : ownSourcesInSqlite(db));
    await db.schema
      .alterTable('corpus_documents')
      .addColumn('account_id', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    await db.schema
      .alterTable('corpus_documents')
      .addColumn('bytes', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await createIndex(db, 'corpus_documents_account', 'corpus_documents', ['account_id', 'bytes']);
    await createTexts(db);
  },
};

/** One place may be a source of several accounts. */
async function ownSourcesInPostgres(db: Kysely<unknown>): Promise<void> {
  const table = db.schema.alterTable('corpus_sources');
  await table.addColumn('account_id', 'text', (column) => column.notNull().defaultTo('')).execute();
  await table.dropConstraint('corpus_sources_location_key').execute();
  await table.addUniqueConstraint('corpus_sources_place', ['account_id', 'location']).execute();
}

/**
 * SQLite drops no constraint, so the table is made anew. Its documents wait for it until the transaction ends; what would go
 * with it is kept aside.
 */
async function ownSourcesInSqlite(db: Kysely<unknown>): Promise<void> {
  const moved = ['corpus_sources', 'corpus_frontier', 'corpus_attempts'] as const;
  await sql`pragma defer_foreign_keys = on`.execute(db);
  for (const table of moved)
    await sql`create temp table ${sql.ref(`${table}_moved`)} as select * from ${sql.table(table)}`.execute(
      db,
    );
  await db.schema.dropTable('corpus_sources').execute();
  await db.schema
    .createTable('corpus_sources')
    .$call(textKey('id'))
    .$call(required('text', 'kind', 'location', 'options'))
    .$call(optional('bigint', 'every_ms'))
    .$call(required('bigint', 'added_at_ms'))
    .$call(optional('bigint', 'begun_at_ms', 'refreshed_at_ms', 'due_at_ms'))
    .$call(optional('text', 'outcome', 'lease_owner'))
    .$call(optional('bigint', 'lease_until_ms'))
    .$call(optional('text', 'set_aside'))
    .addColumn('account_id', 'text', (column) => column.notNull().defaultTo(''))
    .addUniqueConstraint('corpus_sources_place', ['account_id', 'location'])
    .execute();
  await sql`insert into corpus_sources select *, '' from temp.corpus_sources_moved`.execute(db);
  for (const table of moved.slice(1))
    await sql`insert or ignore into ${sql.table(table)} select * from temp.${sql.ref(`${table}_moved`)}`.execute(
      db,
    );
  for (const table of moved) await sql`drop table temp.${sql.ref(`${table}_moved`)}`.execute(db);
}

async function createTexts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('index_texts')
    .$call(ordinalKey(db, 'ordinal'))
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .$call(required('text', 'account_id', 'url', 'title', 'text'))
    .$call(optional('text', 'language', 'date'))
    .$call(required('bigint', 'written_at_ms'))
    .addUniqueConstraint('index_texts_url', ['account_id', 'url'])
    .execute();
  await createIndex(db, 'index_texts_account', 'index_texts', ['account_id', 'ordinal']);
  await createStorageTriggers(
    db,
    storedTables.filter(({ table }) => table === 'index_texts'),
  );
}
