import { sql, type Kysely } from 'kysely';

import { refuseBeyond, useOf, type AccountLimits, type AccountUse } from './account-limits.ts';
import { toEmbeddedBy, type Beginning } from './candidates.ts';
import type { NewDocument } from './document.ts';
import { upsertDocuments } from './upsert.ts';
import { insertPassages, insertWords } from './write.ts';
import { dropTexts, passagesPerDocument, removeDocuments } from '../../../kernel/store/index-documents.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { transact } from '../../../kernel/store/transact.ts';

export interface DocumentHead {
  readonly id: number;
  readonly url: string;
  readonly hash: string;
  readonly textHash: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly embeddedBy: string | null;
  readonly seenAtMs: number;
}

/** Documents and their passages. Every change is whole: a document is found with all of its words or not at all. */
export class Corpus {
  readonly #db: Kysely<Schema>;
  readonly #reader: Kysely<Schema>;
  readonly #limits: AccountLimits | null;

  /** `reader` is for what a search and a count read; see `Database`. Without limits an account has as many as it likes. */
  constructor(db: Kysely<Schema>, reader = db, limits: AccountLimits | null = null) {
    this.#db = db;
    this.#reader = reader;
    this.#limits = limits;
  }

  /**
   * Adds documents, or replaces those of the same source and address. In one transaction. Throws Fault
   * `storage_quota_exceeded` where the account of the source would have more than it may.
   */
  put(documents: readonly NewDocument[]): Promise<void> {
    return transact(this.#db, async (transaction) => {
      // Two of one address in a batch: the later one is meant.
      const last = [...new Map(documents.map((one) => [`${one.sourceId}\n${one.url}`, one])).values()];
      const stored = await upsertDocuments(transaction, last);
      if (this.#limits !== null)
        for (const account of new Set(stored.map(({ accountId }) => accountId)))
          await refuseBeyond(transaction, account, this.#limits);
      await dropTexts(
        transaction,
        stored.map(({ id }) => id),
      );
      await insertWords(transaction, last, stored);
      await insertPassages(transaction, last, stored);
    });
  }

  async heads(sourceId: string, urls: readonly string[]): Promise<ReadonlyMap<string, DocumentHead>> {
    const rows = await this.#db
      .selectFrom('corpus_documents')
      .select([
        'id',
        'url',
        'hash',
        'text_hash as textHash',
        'etag',
        'last_modified as lastModified',
        'embedded_by as embeddedBy',
        'seen_at_ms as seenAtMs',
      ])
      .where('source_id', '=', sourceId)
      .where('url', 'in', orNothing(urls, ''))
      .execute();
    return new Map(rows.map((row) => [row.url, { ...row, embeddedBy: toEmbeddedBy(row.embeddedBy) }]));
  }

  /** Another address of the source under which the same text was seen since an instant. */
  async findText(sourceId: string, textHash: string, url: string, sinceMs: number): Promise<string | null> {
    const row = await this.#db
      .selectFrom('corpus_documents')
      .select('url')
      .where('text_hash', '=', textHash)
      .where('source_id', '=', sourceId)
      .where('url', '!=', url)
      .where('seen_at_ms', '>=', sinceMs)
      .executeTakeFirst();
    return row?.url ?? null;
  }

  /** Notes that documents were seen unchanged. */
  async touch(ids: readonly number[], seenAtMs: number): Promise<void> {
    if (ids.length === 0) return;
    await this.#db
      .updateTable('corpus_documents')
      .set({ seen_at_ms: seenAtMs })
      .where('id', 'in', ids)
      .execute();
  }

  /** The same of those whose address begins with another one. */
  async touchBelow(sourceId: string, url: string, seenAtMs: number): Promise<void> {
    await this.#db
      .updateTable('corpus_documents')
      .set({ seen_at_ms: seenAtMs })
      .where('source_id', '=', sourceId)
      // No range: that depends on the collation.
      .where(sql`substr(url, 1, ${sql.lit(url.length)})`, '=', url)
      .execute();
  }

  async remove(sourceId: string, urls: readonly string[]): Promise<void> {
    if (urls.length === 0) return;
    await transact(this.#db, async (transaction) => {
      const rows = await documentsOf(transaction, sourceId).where('url', 'in', urls).execute();
      await removeDocuments(transaction, idsOf(rows));
    });
  }

  /** Removes up to `countMax` documents of a source that were last seen before an instant. Resolves to their number. */
  removeUnseen(sourceId: string, beforeMs: number, countMax: number): Promise<number> {
    return transact(this.#db, async (transaction) => {
      const rows = await documentsOf(transaction, sourceId)
        .where('seen_at_ms', '<', beforeMs)
        .limit(countMax)
        .execute();
      await removeDocuments(transaction, idsOf(rows));
      return rows.length;
    });
  }

  async count(sourceId: string): Promise<number> {
    const { count } = await this.#reader
      .selectFrom('corpus_documents')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('source_id', '=', sourceId)
      .executeTakeFirstOrThrow();
    return count;
  }

  /** Documents of an account and the bytes of their texts. */
  use(accountId: string): Promise<AccountUse> {
    return useOf(this.#reader, accountId);
  }

  readDocuments(ids: readonly number[]) {
    return this.#reader
      .selectFrom('corpus_documents')
      .select([
        'id',
        'url',
        'title',
        'language',
        'date',
        'last_updated as lastUpdated',
        'text_hash as textHash',
        'source_id as sourceId',
      ])
      .where('id', 'in', orNothing(ids, -1))
      .execute();
  }

  async readBeginnings(documentIds: readonly number[]): Promise<readonly Beginning[]> {
    const firsts = documentIds.map((id) => id * passagesPerDocument);
    const rows = await this.#reader
      .selectFrom('corpus_passages as p')
      .innerJoin('corpus_documents as d', (join) =>
        join.on(sql`d.id`, '=', sql`p.id / ${sql.lit(passagesPerDocument)}`),
      )
      .select(['d.id as documentId', 'p.vector', 'd.embedded_by as embeddedBy'])
      .where('p.id', 'in', orNothing(firsts, -1))
      .execute();
    return rows.map((row) => ({ ...row, embeddedBy: toEmbeddedBy(row.embeddedBy) }));
  }

  readPassages(ids: readonly number[]) {
    return this.#reader
      .selectFrom('corpus_passages')
      .select(['id', 'heading', 'text', 'start_at as startAt'])
      .where('id', 'in', orNothing(ids, -1))
      .execute();
  }
}

export type DocumentRow = Awaited<ReturnType<Corpus['readDocuments']>>[number];
export type PassageRow = Awaited<ReturnType<Corpus['readPassages']>>[number];

function documentsOf(db: Kysely<Schema>, sourceId: string) {
  return db.selectFrom('corpus_documents').select('id').where('source_id', '=', sourceId);
}

const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);

/** `in ()` is no SQL; no row has what stands for nothing. */
function orNothing<T>(values: readonly T[], nothing: T): readonly T[] {
  return values.length > 0 ? values : [nothing];
}
