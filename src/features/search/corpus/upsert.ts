import { sql, type Kysely, type RawBuilder } from 'kysely';

import type { NewDocument } from './document.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { storeOf } from '../../../kernel/store/store.ts';

/** A document as the store knows it. */
export interface Stored {
  readonly id: number;
  /** Empty for one that everybody finds. */
  readonly accountId: string;
}

interface StoredRow extends Stored {
  readonly sourceId: string;
  readonly url: string;
}

/** Columns that a document with the same address gets anew, and what they are on PostgreSQL. */
const changing = {
  domain: 'text',
  title: 'text',
  language: 'text',
  date: 'text',
  last_updated: 'text',
  hash: 'text',
  text_hash: 'text',
  etag: 'text',
  last_modified: 'text',
  embedded_by: 'text',
  fetched_at_ms: 'bigint',
  seen_at_ms: 'bigint',
  bytes: 'int',
} as const;

const names = Object.keys(changing) as readonly (keyof typeof changing)[];
const columns = sql.raw(`source_id, url, account_id, ${names.join(', ')}`);
const replacing = sql.raw(names.map((name) => `${name} = excluded.${name}`).join(', '));
const inJson = sql.raw(names.map((name) => `x.value->>'${name}'`).join(', '));
const inRecord = sql.raw(names.map((name) => `x.${name}`).join(', '));
const record = sql.raw(
  `place int, source_id text, url text, ${names.map((name) => `${name} ${changing[name]}`).join(', ')}`,
);

/**
 * Adds the rows of documents, each of another address, or replaces them. In one statement: with one for each, sending them to
 * the thread of the store was the dearest part of what this thread did. Whose they are is told by their source, so that
 * no caller can give a document to another account.
 */
export async function upsertDocuments(
  db: Kysely<Schema>,
  documents: readonly NewDocument[],
): Promise<readonly Stored[]> {
  const given = documents.map((document, place) => ({ place, ...toRow(document) }));
  const json = JSON.stringify(given);
  const select =
    storeOf(db) === 'sqlite'
      ? sql`select x.value->>'source_id', x.value->>'url', ${accountOf(sql`x.value->>'source_id'`)}, ${inJson}
          from json_each(${json}) x order by x.value->>'place'`
      : sql`select x.source_id, x.url, ${accountOf(sql`x.source_id`)}, ${inRecord}
          from json_to_recordset(${json}::json) as x(${record}) order by x.place`;
  const { rows } = await sql<StoredRow>`insert into corpus_documents (${columns}) ${select}
    on conflict (source_id, url) do update set ${replacing}
    returning id, account_id as "accountId", source_id as "sourceId", url`.execute(db);
  // No store promises the order of what it returns.
  const stored = new Map(rows.map((row) => [keyOf(row.sourceId, row.url), row]));
  return given.map(({ source_id: sourceId, url }) => {
    const row = stored.get(keyOf(sourceId, url));
    if (row === undefined) throw new Error('a document without its row');
    return { id: row.id, accountId: row.accountId };
  });
}

const accountOf = (sourceId: RawBuilder<unknown>) =>
  sql`coalesce((select account_id from corpus_sources where id = ${sourceId}), '')`;

const keyOf = (sourceId: string, url: string): string => `${sourceId}\n${url}`;

function toRow(document: NewDocument) {
  return {
    source_id: document.sourceId,
    url: clean(document.url),
    domain: document.domain,
    title: clean(document.title),
    language: document.language,
    date: document.date,
    last_updated: document.lastUpdated,
    hash: document.hash,
    text_hash: document.textHash,
    etag: document.etag,
    last_modified: document.lastModified,
    embedded_by: document.embeddedBy,
    fetched_at_ms: document.fetchedAtMs,
    seen_at_ms: document.fetchedAtMs,
    bytes: document.passages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
  } satisfies Record<'source_id' | 'url' | keyof typeof changing, unknown>;
}

/** As parameters are: PostgreSQL refuses in JSON what no text of it can hold. */
const clean = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{FFFD}');
