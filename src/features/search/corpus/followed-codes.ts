import { sql, type Kysely } from 'kysely';

import { toEmbeddedBy } from './candidates.ts';
import { SignCodes } from './sign-codes.ts';
import { passagesPerDocument } from '../../../kernel/store/index-documents.ts';
import type { Schema } from '../../../kernel/store/schema.ts';

/** Whose vectors are kept. */
export interface CodesOf {
  /** Empty for documents of all. */
  readonly accountId: string;
  readonly embeddedBy: string;
  readonly dimensions: number;
}

/** Documents of one statement: their vectors are some 2 MB. */
const documentsAtOnce = 256;
/** Changes beyond it are not followed: everything is read anew. */
const changesMax = 8_192;

interface VectorRow {
  readonly documentId: number;
  readonly id: number;
  readonly vector: Uint8Array;
  readonly embedded_by: string | null;
}

/**
 * The signs of the vectors of one account on SQLite, or of all, which follow the store: a trigger notes each document that
 * changes (migration 0025), whoever writes it. Nothing of it is stored, because reading 50,000 vectors takes less than a second.
 */
export class FollowedCodes {
  readonly #db: Kysely<Schema>;
  readonly #of: CodesOf;
  readonly #sizeMax: number;
  #codes: SignCodes;
  /** The last change that is in them; null before they were read. */
  #place: number | null = null;
  #reading: Promise<void> | null = null;
  /** That which begins after it. */
  #next: Promise<void> | null = null;

  constructor(db: Kysely<Schema>, of: CodesOf, sizeMax: number) {
    this.#db = db;
    this.#of = of;
    this.#sizeMax = sizeMax;
    this.#codes = new SignCodes(of.dimensions, sizeMax);
  }

  get room(): number {
    return this.#codes.room;
  }

  isOf({ embeddedBy, dimensions }: Pick<CodesOf, 'embeddedBy' | 'dimensions'>): boolean {
    return this.#of.embeddedBy === embeddedBy && this.#of.dimensions === dimensions;
  }

  /** Passages by the signs that they share with a query, best first; of all that was stored before, or of some documents. */
  async nearest(
    query: Float32Array,
    countMax: number,
    documentIds: ReadonlySet<number> | null,
  ): Promise<readonly number[]> {
    await this.#caughtUp();
    return this.#codes.nearest(query, countMax, documentIds);
  }

  /**
   * One reading at a time, or an older one could replace a newer. All who come while one is under way share the next, because
   * what they look for may have been stored since.
   */
  #caughtUp(): Promise<void> {
    if (this.#next !== null) return this.#next;
    if (this.#reading === null) return this.#begin();
    this.#next = this.#reading
      .catch(() => {})
      .then(() => {
        this.#next = null;
        return this.#begin();
      });
    return this.#next;
  }

  #begin(): Promise<void> {
    this.#reading = this.#follow().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #follow(): Promise<void> {
    const changes = this.#place === null ? null : await this.#changesSince(this.#place);
    if (changes === null) {
      await this.#readAll();
      return;
    }
    const last = changes.at(-1);
    if (last === undefined) return;
    const ids = changes.map(({ documentId }) => documentId);
    for (let at = 0; at < ids.length; at += documentsAtOnce) {
      const some = ids.slice(at, at + documentsAtOnce);
      const found = Map.groupBy(await this.#read(some), ({ documentId }) => documentId);
      for (const id of some) this.#codes.put(id, found.get(id) ?? []);
    }
    this.#place = last.place;
  }

  /** Null where there are so many that reading all is no more work. */
  async #changesSince(place: number) {
    const { rows } = await sql<{ readonly place: number; readonly documentId: number }>`
      select place, document_id as "documentId" from corpus_changes where place > ${place}
        order by place limit ${changesMax + 1}`.execute(this.#db);
    return rows.length > changesMax ? null : rows;
  }

  async #readAll(): Promise<void> {
    const { rows } = await sql<{
      readonly place: number | null;
    }>`select max(place) as place from corpus_changes`.execute(this.#db);
    const codes = new SignCodes(this.#of.dimensions, this.#sizeMax);
    for (const some of chunks(await this.#newest())) {
      const found = Map.groupBy(await this.#read(some), ({ documentId }) => documentId);
      for (const [id, passages] of found) codes.put(id, passages);
    }
    this.#codes = codes;
    this.#place = rows[0]?.place ?? 0;
  }

  /** No more documents than there may be vectors, the oldest of them first. */
  async #newest(): Promise<readonly number[]> {
    const rows = await this.#db
      .selectFrom('corpus_documents')
      .select('id')
      .where('account_id', '=', this.#of.accountId)
      .orderBy('id', 'desc')
      .limit(this.#sizeMax)
      .execute();
    return rows.map(({ id }) => id).toReversed();
  }

  async #read(documentIds: readonly number[]): Promise<readonly VectorRow[]> {
    const { accountId, embeddedBy } = this.#of;
    const { rows } = await sql<VectorRow>`
      select d.id as "documentId", p.id, p.vector, d.embedded_by from json_each(${JSON.stringify(documentIds)}) x
        cross join corpus_documents d on d.id = x.value and d.account_id = ${accountId}
        cross join corpus_passages p on p.id >= d.id * ${sql.lit(passagesPerDocument)}
          and p.id < (d.id + 1) * ${sql.lit(passagesPerDocument)} and p.vector is not null
        order by p.id`.execute(this.#db);
    return rows.filter((row) => toEmbeddedBy(row.embedded_by) === embeddedBy);
  }
}

function* chunks(ids: readonly number[]): Generator<readonly number[]> {
  for (let at = 0; at < ids.length; at += documentsAtOnce) yield ids.slice(at, at + documentsAtOnce);
}
