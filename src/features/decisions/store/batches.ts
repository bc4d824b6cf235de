import { sql, type Expression, type Kysely } from 'kysely';

import { changesOne } from '../../../kernel/store/changed-rows.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { createBatchEnds } from './batch-ends.ts';
import { batchColumns, hiddenStatuses, type BatchRow } from './batch-row.ts';
import { storeNow } from '../../../kernel/store/store.ts';

export type NewBatch = Pick<
  BatchRow,
  'id' | 'accountId' | 'keyId' | 'model' | 'name' | 'questions' | 'createdAtMs' | 'expiresAtMs'
>;

/** Lines of an upload, or of its results, that are stored together. */
export interface Piece {
  readonly firstLine: number;
  readonly lines: number;
  readonly content: string;
}

interface Listed {
  readonly accountId: string;
  readonly beforeOrdinal: number | undefined;
  readonly limit: number;
}

export type Batches = ReturnType<typeof createBatches>;

/** Batches as their account sees them; `reader` is for everything that only reads, see `Database`. */
export function createBatches(db: Kysely<Schema>, reader = db) {
  return { ...receivingSide(db), ...accountSide(db, reader), ...createBatchEnds(db) };
}

function receivingSide(db: Kysely<Schema>) {
  const until = (ms: number): Expression<number> => sql<number>`${storeNow(db)} + ${ms}`;
  return {
    /** An upload begins; nobody sees it before it is accepted. */
    async receive({ id, accountId, keyId, model, name, questions, ...times }: NewBatch): Promise<void> {
      const owner = { account_id: accountId, key_id: keyId };
      const counts = { input_tokens: 0, output_tokens: 0 };
      await db
        .insertInto('decision_batches')
        .values({
          id,
          ...owner,
          ...counts,
          model,
          name,
          questions,
          status: 'receiving',
          created_at_ms: times.createdAtMs,
          served_at_ms: times.createdAtMs,
          expires_at_ms: times.expiresAtMs,
        })
        .execute();
    },

    /** Keeps a piece of an upload. One of which nothing is heard for the lease is given up. */
    async add(id: string, piece: Piece, { leaseMs }: { readonly leaseMs: number }): Promise<void> {
      const { firstLine, lines, content } = piece;
      await db.transaction().execute(async (transaction) => {
        const isThere = await changesOne(
          transaction
            .updateTable('decision_batches')
            .set({ not_before_ms: until(leaseMs) })
            .where('id', '=', id)
            .where('status', '=', 'receiving'),
        );
        if (!isThere) throw new Error('the upload was given up');
        await transaction
          .insertInto('decision_batch_inputs')
          .values({ batch_id: id, first_line: firstLine, lines, content })
          .execute();
      });
    },

    /** The upload is whole: its rows are next. */
    accept: (id: string, rows: number): Promise<BatchRow> =>
      db
        .updateTable('decision_batches')
        .set({ status: 'queued', rows, not_before_ms: null })
        .where('id', '=', id)
        .where('status', '=', 'receiving')
        .returning(batchColumns)
        .executeTakeFirstOrThrow(),
  };
}

function accountSide(db: Kysely<Schema>, reader: Kysely<Schema>) {
  const shown = (connection: Kysely<Schema>) =>
    connection.selectFrom('decision_batches').select(batchColumns).where('status', 'not in', hiddenStatuses);
  return {
    find: (accountId: string, id: string): Promise<BatchRow | undefined> =>
      shown(db).where('account_id', '=', accountId).where('id', '=', id).executeTakeFirst(),

    /** Newest first, from before the ordinal. */
    list({ accountId, beforeOrdinal, limit }: Listed): Promise<BatchRow[]> {
      const own = shown(reader).where('account_id', '=', accountId).orderBy('ordinal', 'desc').limit(limit);
      return (beforeOrdinal === undefined ? own : own.where('ordinal', '<', beforeOrdinal)).execute();
    },

    /** Pieces of the results in the order of their lines, from the one that holds the line after this one. */
    results: (id: string, afterLine: number, limit: number): Promise<Piece[]> =>
      reader
        .selectFrom('decision_batch_results')
        .select(['first_line as firstLine', 'lines', 'content'])
        .where('batch_id', '=', id)
        .where(sql<boolean>`first_line + lines > ${afterLine + 1}`)
        .where('first_line', '>', afterLine - linesPerPieceMax)
        .orderBy('first_line')
        .limit(limit)
        .execute(),

    /** The first line that is not answered yet; undefined when all are. */
    async firstOpenLine(id: string): Promise<number | undefined> {
      const open = await reader
        .selectFrom('decision_batch_inputs')
        .select(sql<number>`first_line + done`.as('line'))
        .where('batch_id', '=', id)
        .orderBy('first_line')
        .limit(1)
        .executeTakeFirst();
      return open?.line;
    },
  };
}

/** Lines of a piece; with it a page of results is found by the primary key. */
export const linesPerPieceMax = 256;
