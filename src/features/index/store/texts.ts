import type { Kysely, Selection } from 'kysely';

import { Corpus, type AccountLimits, type NewDocument } from '../../search/feature.ts';
import { changesOne } from '../../../kernel/store/changed-rows.ts';
import { packText, unpackText } from '../../../kernel/store/packed-text.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { transact } from '../../../kernel/store/transact.ts';

const headColumns = [
  'ordinal',
  'id',
  'url',
  'title',
  'language',
  'date',
  'written_at_ms as writtenAtMs',
] as const;

const columns = [...headColumns, 'text'] as const;

/** A document without its text. */
export type TextHead = Readonly<Selection<Schema, 'index_texts', (typeof headColumns)[number]>>;

export interface StoredText extends TextHead {
  readonly text: string;
}

export interface NewText extends Omit<StoredText, 'ordinal'> {
  readonly accountId: string;
}

/** Documents that accounts sent, as they sent them, and their place in the index. */
export class IndexTexts {
  readonly #db: Kysely<Schema>;
  readonly #reader: Kysely<Schema>;
  readonly #limits: AccountLimits | null;

  constructor(db: Kysely<Schema>, reader = db, limits: AccountLimits | null = null) {
    this.#db = db;
    this.#reader = reader;
    this.#limits = limits;
  }

  /**
   * Keeps a text with its documents in the index, or neither. One of the same address is replaced and keeps its id. Throws Fault
   * `storage_quota_exceeded`.
   */
  async put(
    { accountId, text, writtenAtMs, ...row }: NewText,
    documents: readonly NewDocument[],
  ): Promise<StoredText> {
    const packed = await packText(text);
    const { title, language, date } = row;
    return transact(this.#db, async (transaction) => {
      const stored = await transaction
        .insertInto('index_texts')
        .values({ ...row, account_id: accountId, text: packed, written_at_ms: writtenAtMs })
        .onConflict((conflict) =>
          conflict
            .columns(['account_id', 'url'])
            .doUpdateSet({ title, language, date, text: packed, written_at_ms: writtenAtMs }),
        )
        .returning(columns)
        .executeTakeFirstOrThrow();
      await new Corpus(transaction, transaction, this.#limits).put(documents);
      return { ...stored, text };
    });
  }

  /** With its document. False where the account has none of this id. */
  remove(accountId: string, sourceId: string, id: string): Promise<boolean> {
    return transact(this.#db, async (transaction) => {
      const row = await transaction
        .selectFrom('index_texts')
        .select('url')
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      if (row === undefined) return false;
      await new Corpus(transaction).remove(sourceId, [row.url]);
      return changesOne(transaction.deleteFrom('index_texts').where('id', '=', id));
    });
  }

  async removeAll(accountId: string): Promise<void> {
    await this.#db.deleteFrom('index_texts').where('account_id', '=', accountId).execute();
  }

  /** By its id or its address. */
  async find(accountId: string, idOrUrl: string): Promise<StoredText | undefined> {
    const row = await this.#of(accountId)
      .where((eb) => eb.or([eb('id', '=', idOrUrl), eb('url', '=', idOrUrl)]))
      .executeTakeFirst();
    return row && { ...row, text: await unpackText(row.text) };
  }

  /** Oldest first, as lists of whole texts are. */
  heads(accountId: string, afterOrdinal: number, countMax: number): Promise<readonly TextHead[]> {
    return this.#of(accountId)
      .clearSelect()
      .select(headColumns)
      .where('ordinal', '>', afterOrdinal)
      .orderBy('ordinal')
      .limit(countMax)
      .execute();
  }

  /**
   * Puts the document of a text into the index, made of it as it was read. False, and nothing is put, where the text has been
   * replaced or removed since.
   */
  putDocument(read: StoredText, document: NewDocument): Promise<boolean> {
    return transact(this.#db, async (transaction) => {
      const row = await transaction
        .selectFrom('index_texts')
        .select(columns)
        .where('id', '=', read.id)
        .executeTakeFirst();
      if (row === undefined || !isSame(read, { ...row, text: await unpackText(row.text) })) return false;
      await new Corpus(transaction, transaction, this.#limits).put([document]);
      return true;
    });
  }

  #of(accountId: string) {
    return this.#reader.selectFrom('index_texts').select(columns).where('account_id', '=', accountId);
  }
}

const isSame = (one: StoredText, other: StoredText): boolean =>
  one.text === other.text &&
  one.title === other.title &&
  one.language === other.language &&
  one.date === other.date;
