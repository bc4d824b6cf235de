import { sql, type Kysely } from 'kysely';

import { passagesPerDocument } from '../../../kernel/store/index-documents.ts';
import { namesOf } from '../../../kernel/engine-names.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { storeOf } from '../../../kernel/store/store.ts';
import { transact } from '../../../kernel/store/transact.ts';

export interface StaleDocument {
  readonly id: number;
  readonly title: string;
  readonly textHash: string;
}

export interface PassageVector {
  readonly id: number;
  readonly vector: Uint8Array;
}

/** Rows of one statement, which travel as one parameter of JSON. */
const vectorsAtOnce = 64;

/** Vectors of documents that stay as they are. */
export class CorpusVectors {
  readonly #db: Kysely<Schema>;
  readonly #reader: Kysely<Schema>;

  constructor(db: Kysely<Schema>, reader = db) {
    this.#db = db;
    this.#reader = reader;
  }

  /** Documents that have no vectors, or those of another engine, by their number. */
  stale(embeddedBy: string, afterId: number, countMax: number): Promise<readonly StaleDocument[]> {
    return this.#stale(embeddedBy)
      .select(['id', 'title', 'text_hash as textHash'])
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(countMax)
      .execute();
  }

  async countStale(embeddedBy: string): Promise<number> {
    // Asked where it is written: an empty index needs no thread for readers.
    const first = await this.#db.selectFrom('corpus_documents').select('id').limit(1).executeTakeFirst();
    if (first === undefined) return 0;
    const { count } = await this.#stale(embeddedBy)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return count;
  }

  async hasStale(sourceId: string, embeddedBy: string): Promise<boolean> {
    const row = await this.#stale(embeddedBy)
      .select('id')
      .where('source_id', '=', sourceId)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** How many documents of each source have vectors of an engine. A source without such documents is left out. */
  async countBySource(embeddedBy: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#reader
      .selectFrom('corpus_documents')
      .select((eb) => ['source_id as id', eb.fn.countAll<number>().as('count')])
      .where('embedded_by', 'in', namesOf(embeddedBy))
      .groupBy('source_id')
      .execute();
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  passages(documentId: number) {
    return this.#reader
      .selectFrom('corpus_passages')
      .select(['id', 'heading', 'text'])
      .where('id', '>=', documentId * passagesPerDocument)
      .where('id', '<', (documentId + 1) * passagesPerDocument)
      .orderBy('id')
      .execute();
  }

  /** All vectors of a document, or none where its text changed or it went meanwhile. In one transaction. */
  put({ id, textHash }: StaleDocument, embeddedBy: string, vectors: readonly PassageVector[]): Promise<void> {
    return transact(this.#db, async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('corpus_documents')
        .set({ embedded_by: embeddedBy })
        .where('id', '=', id)
        .where('text_hash', '=', textHash)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return;
      for (let at = 0; at < vectors.length; at += vectorsAtOnce)
        await update(transaction, vectors.slice(at, at + vectorsAtOnce));
    });
  }

  #stale(embeddedBy: string) {
    return this.#reader
      .selectFrom('corpus_documents')
      .where((eb) =>
        eb.or([eb('embedded_by', 'is', null), eb('embedded_by', 'not in', namesOf(embeddedBy))]),
      );
  }
}

async function update(db: Kysely<Schema>, vectors: readonly PassageVector[]): Promise<void> {
  const rows = vectors.map(({ id, vector }) => ({ id, vector: Buffer.from(vector).toString('hex') }));
  const json = JSON.stringify(rows);
  if (storeOf(db) === 'sqlite')
    await sql`update corpus_passages set vector = unhex(x.value->>'vector') from json_each(${json}) x
      where corpus_passages.id = x.value->>'id'`.execute(db);
  else
    await sql`update corpus_passages p set vector = decode(x.vector, 'hex')
      from json_to_recordset(${json}::json) as x(id bigint, vector text) where p.id = x.id`.execute(db);
}
